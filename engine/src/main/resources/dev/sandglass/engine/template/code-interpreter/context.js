// SPDX-License-Identifier: Apache-2.0
// Runs what it is told, a line of JSON each, in one global scope; tells the value of each, or its error.
'use strict'
const fs = require('node:fs')
const module_ = require('node:module')
const repl = require('node:repl')
const util = require('node:util')
const readline = require('node:readline')
const { Writable, Readable } = require('node:stream')

const [requests, answers] = process.argv.slice(2).map(Number)
const nowhere = new Writable({ write: (_piece, _encoding, done) => done() })
const shell = repl.start({ input: new Readable({ read() {} }), output: nowhere, prompt: '', useGlobal: true, breakEvalOnSigint: true, terminal: false })
process.on('SIGINT', () => cancel?.(Object.assign(new Error('Execution was interrupted'), { name: 'Interrupted' })))
process.on('unhandledRejection', problem => console.error(problem))
let cancel

/** Modules are imported at any time: their declarations become awaited calls. */
function imports(code) {
  const from = /^([ \t]*)import\s+(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?\s*from\s*(['"][^'"]+['"])[ \t]*;?/gm
  return code
    .replace(from, (_all, indent, one, all, some, name) => {
      const parts = []
      if (all) parts.push(`const ${all} = await import(${name})`)
      if (one) parts.push(`const ${one} = (await import(${name})).default`)
      if (some) parts.push(`const {${some.replace(/\s+as\s+/g, ': ')}} = await import(${name})`)
      return indent + parts.join('; ') + ';'
    })
    .replace(/^([ \t]*)import\s*(['"][^'"]+['"])[ \t]*;?/gm, '$1await import($2);')
}

function plain(code) {
  if (!module_.stripTypeScriptTypes) return code
  try {
    return module_.stripTypeScriptTypes(code, { mode: 'transform' })
  } catch {
    return code // it is told what is wrong with it as JavaScript
  }
}

function evaluate(code) {
  return new Promise((resolve, reject) => {
    cancel = reject
    shell.eval(plain(imports(code)) + '\n', shell.context, 'code.js', (problem, value) => (problem ? reject(problem) : resolve(value)))
  })
}

function shown(value) {
  if (value === undefined) return []
  const display = value?.[Symbol.for('Jupyter.display')]
  if (typeof display === 'function') return [display.call(value)]
  return [{ 'text/plain': util.inspect(value) }]
}

async function answer(request) {
  if (request.set) {
    for (const [key, value] of Object.entries(request.set)) value === null ? delete process.env[key] : (process.env[key] = value)
    return {}
  }
  try {
    return { results: shown(await evaluate(request.code)) }
  } catch (problem) {
    const error = problem?.err ?? problem
    return { error: { name: error?.name ?? 'Error', value: String(error?.message ?? error), traceback: String(error?.stack ?? error) } }
  } finally {
    cancel = undefined
  }
}

async function serve() {
  for await (const line of readline.createInterface({ input: fs.createReadStream(null, { fd: requests }) })) {
    fs.writeFileSync(answers, JSON.stringify(await answer(JSON.parse(line))) + '\n')
  }
  process.exit(0)
}
serve()
