// SPDX-License-Identifier: Apache-2.0
// What becomes of streams and ports when a sandbox rests or goes: `node ends.mjs new|old TEMPLATE [PART OF A SENTENCE...]`.
import net from 'node:net'
import { assert, client, create, keepsMemory, run, sdk, until } from './check.mjs'

const address = new URL(process.env.E2B_SANDBOX_URL)
const inside = (box, port, path = '/', more = {}) => fetch(`${address.origin}${path}`, { ...more, headers: { 'E2b-Sandbox-Id': box.sandboxId, 'E2b-Sandbox-Port': String(port), ...more.headers } })

/** How a stream of a process ends for who looks at the bytes: whole, or broken off. */
async function rawStream(box, command) {
  const socket = net.connect(Number(address.port), address.hostname)
  const body = JSON.stringify({ process: { cmd: '/bin/bash', args: ['-c', command] } })
  const envelope = Buffer.concat([Buffer.alloc(5), Buffer.from(body)])
  envelope.writeUInt32BE(Buffer.byteLength(body), 1)
  let read = Buffer.alloc(0), error
  socket.on('data', piece => (read = Buffer.concat([read, piece]))).on('error', problem => (error = problem))
  const closed = new Promise(resolve => socket.on('close', resolve))
  socket.write(`POST /process.Process/Start HTTP/1.1\r\nHost: ${address.host}\r\nE2b-Sandbox-Id: ${box.sandboxId}\r\nE2b-Sandbox-Port: 49983\r\nX-Access-Token: ${box.envdAccessToken}\r\n`)
  socket.write('Content-Type: application/connect+json\r\nTransfer-Encoding: chunked\r\nKeepalive-Ping-Interval: 1\r\n\r\n')
  for (const byte of envelope) socket.write(`1\r\n${String.fromCharCode(byte)}\r\n`, 'latin1') // as slow clients do
  socket.write('0\r\n\r\n')
  return { closed, text: () => read.toString('latin1'), error: () => error, close: () => socket.destroy() }
}

await run({
  async 'streams break off when a sandbox is killed'() {
    const box = await create()
    const stream = await rawStream(box, 'echo begun; sleep 1000')
    await until('its beginning', () => stream.text().includes(Buffer.from('begun\n').toString('base64')))
    const running = box.commands.run('sleep 1000', { timeoutMs: 0 }).then(() => 'ended', problem => problem)
    const watching = []
    if (client === 'new') await box.files.watchDir('/tmp', () => {}, { onExit: problem => watching.push(problem), timeoutMs: 0 })
    await until('the command', async () => (await box.commands.list()).length === 2)
    await box.kill()
    assert.equal((await running).constructor.name, 'TimeoutError')
    await stream.closed
    assert.ok(!stream.text().endsWith('0\r\n\r\n'), 'a tidy end would be taken for the end of the command')
    if (client === 'new') await until('the end of the watch', () => watching[0] instanceof Error)
    assert.equal(await box.isRunning(), false)
    const answer = await inside(box, 49983, '/health')
    assert.deepEqual([answer.status, await answer.json()], [502, { sandboxId: box.sandboxId, message: 'The sandbox was not found', code: 502 }])
  },

  async 'streams break off when a sandbox is paused, and it goes on where it was'() {
    if (client === 'old' && !keepsMemory) return // it cannot ask for a pause of the disk
    const box = await create()
    await box.files.write('kept', 'yes')
    const stream = await rawStream(box, 'echo begun; sleep 1000')
    await until('its beginning', () => stream.text().includes(Buffer.from('begun\n').toString('base64')))
    await (client === 'old' ? box.betaPause() : box.pause({ keepMemory: keepsMemory }))
    await stream.closed
    assert.ok(!stream.text().endsWith('0\r\n\r\n'))
    assert.equal(await box.isRunning(), false)
    await assert.rejects(() => box.commands.run('true'))
    const again = await sdk.Sandbox.connect(box.sandboxId)
    assert.equal(await again.files.read('kept'), 'yes')
    assert.equal((await again.commands.run('echo on')).stdout, 'on\n')
  },

  async 'a stream that has nothing to say says so'() {
    const box = await create()
    const stream = await rawStream(box, 'sleep 1000')
    await until('three words of nothing', () => stream.text().split('"keepalive":{}').length > 3)
    stream.close()
    assert.equal((await box.commands.list()).length, 1, 'a client that leaves leaves its command')
  },

  async 'ports are reached, and one that is closed is told'() {
    const box = await create()
    const closed = await inside(box, 8099)
    assert.deepEqual([closed.status, await closed.json()], [502, { sandboxId: box.sandboxId, message: 'The sandbox is running but port is not open', port: 8099, code: 502 }])
    await box.files.write('/home/user/page/index.html', '<p>inside</p>')
    await box.commands.run('cd page && exec python3 -m http.server 8099', { background: true, timeoutMs: 0 })
    await until('the page', async () => (await inside(box, 8099)).status === 200)
    assert.equal(await (await inside(box, 8099)).text(), '<p>inside</p>')
    assert.equal((await inside(box, 8099, '/nothing')).status, 404)
    assert.match(box.getHost(8099), new RegExp(`^8099-${box.sandboxId}\\.`))
  },

  async 'traffic needs its token where it is not public, and sees the host that was asked for'() {
    if (client === 'old') return
    const box = await create({ network: { allowPublicTraffic: false, maskRequestHost: 'masked:${PORT}' } })
    await box.files.write('echo.py', `
import http.server
class Echo(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        answer = (self.headers['Host'] + ' ' + ','.join(name for name in self.headers if name.lower().startswith('e2b') or name.lower() == 'x-access-token')).encode() + b'|' + body
        self.send_response(200); self.send_header('Content-Length', str(len(answer))); self.end_headers(); self.wfile.write(answer)
http.server.HTTPServer(('127.0.0.1', 8098), Echo).serve_forever()
`)
    await box.commands.run('exec python3 echo.py', { background: true, timeoutMs: 0 })
    const token = { 'e2b-traffic-access-token': box.trafficAccessToken }
    const ask = headers => inside(box, 8098, '/', { method: 'POST', body: 'hello', headers })
    const bare = await ask({})
    assert.deepEqual([bare.status, (await bare.json()).message], [403, "Sandbox is secured with traffic access token. Token header 'e2b-traffic-access-token' is missing"])
    assert.equal((await ask({ 'e2b-traffic-access-token': 'wrong' })).status, 403)
    await until('the program', async () => (await ask(token)).status === 200)
    assert.equal(await (await ask(token)).text(), 'masked:8098 |hello')
  },

  async 'who calls wakes what is to be woken'() {
    if (client === 'old' || !keepsMemory) return
    const box = await create({ lifecycle: { onTimeout: 'pause', autoResume: true } })
    await box.files.write('kept', 'yes')
    await box.pause()
    assert.equal(await box.isRunning(), false)
    const answers = await Promise.all(Array.from({ length: 10 }, () => box.files.read('kept')))
    assert.deepEqual(new Set(answers), new Set(['yes']))
    assert.equal(await box.isRunning(), true)
  },
})
