// SPDX-License-Identifier: Apache-2.0
// Files of a sandbox, by the client: `node files.mjs new|old TEMPLATE [PART OF A SENTENCE...]`.
import { assert, client, create, fails, run, sdk, until } from './check.mjs'

const box = await create()
const out = async command => (await box.commands.run(command)).stdout.trim()
const signed = client === 'new'

await run({
  async 'what is written is read'() {
    const info = await box.files.write('/home/user/a/b.txt', 'größe')
    assert.deepEqual([info.name, info.path], ['b.txt', '/home/user/a/b.txt'])
    assert.equal(await box.files.read('a/b.txt'), 'größe')
    assert.equal(await box.files.read('~/a/b.txt'), 'größe')
    assert.equal(await out('stat -c "%U:%G %a" a a/b.txt'), 'user:user 755\nuser:user 644')
    await box.files.write('a/b.txt', 'x')
    assert.equal(await out('cat a/b.txt; stat -c %i a/b.txt > /tmp/i'), 'x')
    await box.files.write('a/b.txt', 'in its place')
    assert.equal(await out('stat -c %i a/b.txt | cmp - /tmp/i && echo same'), 'same')
    assert.equal(await box.files.read(await box.files.write('empty', '').then(each => each.path)), '')
  },

  async 'nothing is in the way of files, and what is made is the user\'s'() {
    await box.files.write('/srv/of/root/file', 'mine')
    assert.equal(await out('stat -c %U /srv/of /srv/of/root/file'), 'user\nuser')
    await box.files.write('/root/note', 'by root', { user: 'root' })
    assert.equal(await box.files.read('/root/note'), 'by root')
    await fails(client === 'old' ? 'AuthenticationError' : 'AuthenticationError', () => box.files.read('x', { user: 'nobody-here' }))
  },

  async 'many files and large ones go in one request'() {
    const large = new Uint8Array(30_000_000).map((_, i) => i % 251)
    const names = ['/tmp/many/one', 'two with blanks & more.txt', '/tmp/many/größe€']
    const written = await box.files.write([{ path: names[0], data: '1' }, { path: names[1], data: new Blob(['22']) }, { path: names[2], data: large.buffer }])
    assert.deepEqual(written.map(each => each.path), [names[0], '/home/user/' + names[1], names[2]])
    assert.equal(await box.files.read(names[1]), '22')
    const read = await box.files.read(names[2], { format: 'bytes' })
    assert.ok(read.length === large.length && Buffer.compare(Buffer.from(read), Buffer.from(large)) === 0)
    let streamed = 0
    for await (const piece of await box.files.read(names[2], { format: 'stream' })) streamed += piece.length
    assert.equal(streamed, large.length)
  },

  async 'bytes come compressed, in pieces and with words about them'() {
    if (client === 'old') return
    await box.files.write('zip', 'z'.repeat(100_000), { gzip: true })
    assert.equal((await box.files.read('zip', { gzip: true })).length, 100_000)
    await box.files.write('raw', new ReadableStream({ start(to) { for (let i = 0; i < 100; i++) to.enqueue(new TextEncoder().encode('piece')); to.close() } }), { useOctetStream: true })
    assert.equal((await box.files.read('raw')).length, 500)
    const marked = await box.files.write('marked', 'm', { metadata: { color: 'red', Shape: 'round' } })
    assert.deepEqual(marked.metadata, { color: 'red', shape: 'round' })
    assert.deepEqual((await box.files.getInfo('marked')).metadata, marked.metadata)
    assert.deepEqual((await box.files.list('.')).find(each => each.name === 'marked').metadata, marked.metadata)
    assert.deepEqual((await box.files.rename('marked', 'elsewhere/marked')).metadata, marked.metadata)
    await box.files.write('elsewhere/marked', 'again', { metadata: { color: 'blue' } })
    assert.deepEqual((await box.files.getInfo('elsewhere/marked')).metadata, { color: 'blue' })
    await box.files.write('elsewhere/marked', 'plain')
    assert.equal((await box.files.getInfo('elsewhere/marked')).metadata, undefined)
    await fails('InvalidArgumentError', () => box.files.write('x', 'x', { metadata: { long: 'l'.repeat(5000) } }), /metadata/)
  },

  async 'directories are made, listed, moved and removed'() {
    assert.equal(await box.files.makeDir('/home/user/tree/one/two'), true)
    assert.equal(await box.files.makeDir('tree/one'), false)
    await box.files.write('tree/one/two/file', '1')
    await box.commands.run('cd tree && ln -s one/two way && ln -s /nowhere broken && ln -s one/two/file short && chmod 4750 one/two/file')
    const listed = await box.files.list('tree', { depth: 9 })
    assert.deepEqual(listed.map(each => [each.path.replace('/home/user/tree/', ''), each.type]), [['one', 'dir'], ['one/two', 'dir'], ['one/two/file', 'file'], ['short', 'file'], ['way', 'dir']])
    const [, , file, short] = listed
    assert.deepEqual([file.mode, file.permissions, file.owner, file.group, file.size], [0o750, 'urwxr-x---', 'user', 'user', 1])
    assert.deepEqual([short.permissions, short.symlinkTarget], ['Lrwxrwxrwx', '/home/user/tree/one/two/file'])
    assert.deepEqual((await box.files.list('tree/way')).map(each => each.path), ['/home/user/tree/way/file'])
    assert.equal((await box.files.rename('tree/one', 'moved/far')).path, '/home/user/moved/far')
    assert.equal(await box.files.exists('moved/far/two/file'), true)
    await box.files.remove('moved')
    assert.equal(await box.files.exists('moved'), false)
    await box.files.remove('moved')
  },

  async 'what is wrong is told as it is'() {
    const missing = client === 'old' ? 'NotFoundError' : 'FileNotFoundError'
    await fails(missing, () => box.files.read('none'), /path '\/home\/user\/none' does not exist/)
    await fails(missing, () => box.files.list('none'))
    await fails(missing, () => box.files.getInfo('none'))
    await fails(missing, () => box.files.rename('none', 'other'))
    await fails(missing, () => box.files.watchDir('none', () => {}))
    await box.files.write('plain', '')
    await fails('InvalidArgumentError', () => box.files.list('plain'))
    await fails('InvalidArgumentError', () => box.files.makeDir('plain'))
    await fails('InvalidArgumentError', () => box.files.watchDir('plain', () => {}))
    await fails('InvalidArgumentError', () => box.files.read('/tmp'), /is a directory/)
    await fails('InvalidArgumentError', () => box.files.write('/tmp', 'x'))
  },

  async 'changes are watched'() {
    await box.files.write('watched/old', '1')
    const events = []
    const seen = (type, name) => events.some(each => each.type === type && each.name === name)
    const watch = await box.files.watchDir('watched', each => events.push(each), { recursive: true, ...(client === 'new' && { includeEntry: true }) })
    await box.files.write('watched/old', '22')
    await until('a write', () => seen('write', 'old'))
    if (client === 'new') assert.equal(events.find(each => each.type === 'write').entry.path, '/home/user/watched/old')
    await box.files.makeDir('watched/below')
    await until('a directory', () => seen('create', 'below'))
    await box.files.write('watched/below/file', '1')
    await until('a file in it', () => seen('create', 'below/file'))
    await box.files.rename('watched/old', 'watched/new')
    await until('a move', () => seen('rename', 'old') && seen('create', 'new'))
    await box.commands.run('chmod 600 watched/new')
    await until('a mode', () => seen('chmod', 'new'))
    await box.files.remove('watched/new')
    await until('an end', () => seen('remove', 'new'))
    await watch.stop()
    const before = events.length
    await box.files.write('watched/after', '1')
    await box.commands.run('true')
    assert.equal(events.length, before)
  },

  async 'addresses are signed'() {
    if (!signed) return
    const base = process.env.E2B_SANDBOX_URL
    await box.files.write('signed', 'seen')
    const get = async url => { const answer = await fetch(url); return [answer.status, await answer.text()] }
    assert.deepEqual(await get(await box.downloadUrl('signed', { user: 'user' })), [200, 'seen'])
    assert.deepEqual(await get(await box.downloadUrl('signed', { user: 'user', useSignatureExpiration: 60 })), [200, 'seen'])
    const [status, text] = await get(await box.downloadUrl('signed', { user: 'user', useSignatureExpiration: -10 }))
    assert.deepEqual([status, JSON.parse(text)], [401, { code: 401, message: 'signature is already expired' }])
    const forged = new URL(await box.downloadUrl('signed', { user: 'user' }))
    forged.searchParams.set('path', '/etc/shadow')
    assert.deepEqual(await get(forged), [401, JSON.stringify({ code: 401, message: 'invalid signature' })])
    const bare = await fetch(`${base}/files?path=signed`, { headers: { 'E2b-Sandbox-Id': box.sandboxId, 'E2b-Sandbox-Port': '49983' } })
    assert.deepEqual([bare.status, (await bare.json()).message], [401, 'missing signature query parameter'])
    const part = await fetch(await box.downloadUrl('signed', { user: 'user' }), { headers: { Range: 'bytes=1-2' } })
    assert.deepEqual([part.status, await part.text(), part.headers.get('content-range')], [206, 'ee', 'bytes 1-2/4'])
    const form = new FormData()
    form.append('file', new Blob(['sent']), 'sent.txt')
    const sent = await fetch(await box.uploadUrl('sent.txt', { user: 'user' }), { method: 'POST', body: form })
    assert.equal(sent.status, 200)
    assert.equal(await box.files.read('sent.txt'), 'sent')
  },

  async 'who has no token is let in to nothing'() {
    const headers = { 'E2b-Sandbox-Id': box.sandboxId, 'E2b-Sandbox-Port': '49983', 'Content-Type': 'application/json' }
    for (const token of [undefined, 'wrong']) {
      const answer = await fetch(`${process.env.E2B_SANDBOX_URL}/filesystem.Filesystem/Stat`, { method: 'POST', body: '{"path":"/"}', headers: { ...headers, ...(token && { 'X-Access-Token': token }) } })
      assert.equal(answer.status, 401)
      assert.match((await answer.json()).message, /unauthorized access/)
    }
    assert.equal((await fetch(`${process.env.E2B_SANDBOX_URL}/health`, { headers })).status, 204)
  },
})
