// SPDX-License-Identifier: Apache-2.0
// Sandboxes from outside, by the client: `node control.mjs new|old TEMPLATE [PART OF A SENTENCE...]`.
import { assert, create, fails, run, sdk, template, until } from './check.mjs'

const { Sandbox } = sdk
const memory = template.includes('gvisor')
const ids = sandboxes => sandboxes.map(each => each.sandboxId)

await run({
  async 'a sandbox is made, told and ended'() {
    const box = await create({ metadata: { plain: 'x', 'a b': 'c=d&e', 'größe': '%2F+' }, timeoutMs: 120_000 })
    assert.match(box.sandboxId, /^sbx[a-z0-9]{12}$/)
    const info = await box.getInfo()
    assert.equal(info.state, 'running')
    assert.deepEqual(info.metadata, { plain: 'x', 'a b': 'c=d&e', 'größe': '%2F+' })
    assert.ok(Math.abs(info.endAt - info.startedAt - 120_000) < 2000, 'its time is what was asked for')
    assert.equal(await box.kill(), true)
    assert.equal(await box.kill(), false)
    await fails('SandboxNotFoundError', () => Sandbox.connect(box.sandboxId))
  },

  async 'lists have pages and filters, the newest first'() {
    const mark = `mark ${Math.random()}`
    const made = []
    for (let i = 0; i < 3; i++) made.push(await create({ metadata: { mark, number: String(i) } }))
    const wanted = ids(made).reverse()
    const pages = Sandbox.list({ query: { metadata: { mark } }, limit: 2 })
    const first = await pages.nextItems()
    assert.equal(pages.hasNext, true)
    assert.deepEqual(ids([...first, ...await pages.nextItems()]), wanted)
    assert.equal(pages.hasNext, false)
    assert.deepEqual(ids(await Sandbox.list({ query: { metadata: { mark, number: '1' } } }).nextItems()), [made[1].sandboxId])
    assert.deepEqual(await Sandbox.list({ query: { metadata: { mark, number: '7' } } }).nextItems(), [])
    assert.equal(+first[0].startedAt, +(await made[2].getInfo()).startedAt)
    await made[0].kill()
    assert.deepEqual(ids(await Sandbox.list({ query: { metadata: { mark } } }).nextItems()), wanted.slice(0, 2), 'one that was ended is gone from it at once')
  },

  async 'a time may become longer and shorter, and connecting only makes it longer'() {
    const box = await create({ timeoutMs: 60_000 })
    const left = async () => (await box.getInfo()).endAt - Date.now()
    await box.setTimeout(600_000)
    assert.ok(await left() > 500_000)
    await Sandbox.connect(box.sandboxId, { timeoutMs: 1000 })
    assert.ok(await left() > 500_000)
    await box.setTimeout(1000)
    await until('it is over', async () => !(await box.isRunning()))
    await until('it is gone', async () => (await box.kill()) === false)
  },

  async 'a pause keeps files, and processes where the runtime can'() {
    const box = await create()
    await box.files.write('kept.txt', 'kept')
    const counting = await box.commands.run('for i in $(seq 100000); do echo $i > /home/user/count; sleep 0.1; done', { background: true, timeoutMs: 0 })
    const count = async () => Number(await box.files.read('count'))
    await until('it counts', async () => (await count().catch(() => 0)) > 2)
    if (!memory) {
      await fails('SandboxError', () => box.pause(), /cannot be kept/)
      return
    }
    const reached = await count()
    assert.equal(await box.pause(), true)
    assert.equal(await box.pause(), false)
    assert.equal((await box.getInfo()).state, 'paused')
    assert.equal(await box.isRunning(), false)
    const again = await Sandbox.connect(box.sandboxId, { timeoutMs: 120_000 })
    assert.equal(await again.files.read('kept.txt'), 'kept')
    await until('it counts on', async () => (await count()) > reached)
    assert.ok((await again.commands.list()).some(each => each.pid === counting.pid), 'the same process runs')
  },

  async 'a snapshot begins others, and is deleted once'() {
    const box = await create()
    await box.files.write('before.txt', 'before')
    const snapshot = await box.createSnapshot()
    await box.files.write('before.txt', 'after')
    const other = await Sandbox.create(snapshot.snapshotId, { timeoutMs: 120_000 })
    assert.equal(await other.files.read('before.txt'), 'before')
    assert.equal(await box.files.read('before.txt'), 'after')
    await other.kill()
    assert.ok((await Sandbox.listSnapshots({ sandboxId: box.sandboxId }).nextItems()).some(each => each.snapshotId === snapshot.snapshotId))
    assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), true)
    assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), false)
  },

  async 'what is not there or not so is told in the client\'s own errors'() {
    await assert.rejects(Sandbox.create('no-such-template'), /template 'no-such-template' not found/)
    await fails('AuthenticationError', () => Sandbox.create(template, { apiKey: `e2b_${'0'.repeat(40)}` }))
    await fails('SandboxNotFoundError', () => Sandbox.connect('sbxaaaaaaaaaaaa'))
    assert.equal(await Sandbox.kill('sbxaaaaaaaaaaaa'), false)
  },
})
