// SPDX-License-Identifier: Apache-2.0
// What the tests of this directory share: sandboxes that go when their test ends, and words for what is expected.
import assert from 'node:assert/strict'

export { assert }
process.env.E2B_ENVD_RPC_CONNECTIONS = '400' // a stream holds a connection, and others must still speak
export const [client, template, ...rest] = process.argv.slice(2)
export const sdk = client === 'old' ? await import('e2b-2-8') : await import('e2b')

/** Whether processes are kept in a pause: a container with a network has to do without. */
export const keepsMemory = !template.includes('container')

const sandboxes = []

/** A sandbox of its own, on the runtime that its template names. */
export async function create(options = {}, Sandbox = sdk.Sandbox) {
  const sandbox = await Sandbox.create(template, { timeoutMs: 600_000, ...options })
  sandboxes.push(sandbox)
  return sandbox
}

/** Until something is so; a test has no other time limit than its own. */
export async function until(what, holds, seconds = 60) {
  for (let i = 0; i < seconds * 20; i++) {
    if (await holds()) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  assert.fail(`${what}: not within ${seconds} s`)
}

/** That it fails, with an error of that name. */
export async function fails(name, work, message = /./) {
  await assert.rejects(work, problem => {
    assert.equal(problem.constructor.name, name, String(problem.stack))
    assert.match(problem.message, message)
    return true
  })
}

/** Runs tests one after the other: each is a sentence and what it does. */
export async function run(tests) {
  const chosen = Object.entries(tests).filter(([sentence]) => rest.length === 0 || rest.some(part => sentence.includes(part)))
  let failed = 0
  for (const [sentence, test] of chosen) {
    try {
      await test()
      console.log(`ok ${sentence}`)
    } catch (problem) {
      failed++
      console.error(`FAILED ${sentence}\n${problem.stack}`)
    }
  }
  await Promise.allSettled(sandboxes.map(each => each.kill()))
  if (failed === 0) console.log('ok all')
  process.exit(failed === 0 ? 0 : 1)
}
