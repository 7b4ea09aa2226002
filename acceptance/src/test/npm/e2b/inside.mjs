// SPDX-License-Identifier: Apache-2.0
// Processes of a sandbox, by the client: `node inside.mjs new|old TEMPLATE [PART OF A SENTENCE...]`.
import { assert, client, create, fails, run, sdk, until } from './check.mjs'

const box = await create({ envs: { GLOBAL: 'of the sandbox', BOTH: 'sandbox' } })
const out = async (command, options) => (await box.commands.run(command, options)).stdout.trim()

await run({
  async 'a command has output, errors and a code'() {
    const done = await box.commands.run('echo out; echo err >&2')
    assert.deepEqual([done.stdout, done.stderr, done.exitCode], ['out\n', 'err\n', 0])
    await fails('CommandExitError', () => box.commands.run('echo before; exit 3'), /exit status 3/)
    const streamed = []
    await box.commands.run('printf a; sleep 0.2; printf b; printf c >&2', { onStdout: text => streamed.push(text), onStderr: text => streamed.push(`!${text}`) })
    assert.equal(streamed.filter(text => !text.startsWith('!')).join(''), 'ab')
    assert.ok(streamed.includes('!c'))
  },

  async 'letters of several bytes and large output come whole'() {
    assert.equal(await out(`printf '%s' "$(yes 'größe€😀' | head -n 20000)"`), Array(20000).fill('größe€😀').join('\n'))
    assert.equal((await box.commands.run('head -c 20000000 /dev/zero | tr "\\0" x')).stdout.length, 20_000_000)
  },

  async 'variables come from the sandbox, and then from the command'() {
    assert.equal(await out('echo $GLOBAL/$BOTH/$OWN/$E2B_SANDBOX/$HOME/$USER', { envs: { BOTH: 'command', OWN: 'x=y z' } }), 'of the sandbox/command/x=y z/true//home/user/user')
    assert.equal(await out('echo $E2B_SANDBOX_ID'), box.sandboxId)
  },

  async 'users are those of the sandbox'() {
    assert.equal(await out('id -un; pwd; sudo id -un'), 'user\n/home/user\nroot')
    assert.equal(await out('id -un; echo ~', { user: 'root' }), 'root\n/root')
    await fails('AuthenticationError', () => box.commands.run('true', { user: 'nobody-here' }), /invalid username: 'nobody-here'/)
  },

  async 'a directory that is missing is told'() {
    assert.equal(await out('pwd', { cwd: '/usr/share' }), '/usr/share')
    await box.commands.run('mkdir -p ~/below')
    assert.equal(await out('pwd', { cwd: 'below' }), '/home/user/below')
    await fails('InvalidArgumentError', () => box.commands.run('pwd', { cwd: '/nowhere' }), /cwd '\/nowhere' does not exist/)
  },

  async 'input is sent, and ended'() {
    const cat = await box.commands.run('cat; echo ended', { background: true, stdin: true })
    await box.commands.sendStdin(cat.pid, 'one\n')
    await box.commands.sendStdin(cat.pid, 'größe\n'.repeat(50_000))
    if (box.commands.closeStdin) {
      await box.commands.closeStdin(cat.pid)
      assert.equal((await cat.wait()).stdout, 'one\n' + 'größe\n'.repeat(50_000) + 'ended\n')
    } else {
      await cat.kill()
    }
    assert.equal(await out('cat; echo none'), 'none') // who gets no input does not wait for it
  },

  async 'a number is the one inside'() {
    const sleep = await box.commands.run('exec sleep 1000', { background: true })
    assert.equal(await out(`ps -o comm= -p ${sleep.pid} 2>/dev/null || tr '\\0' ' ' < /proc/${sleep.pid}/comm`), 'sleep')
    const listed = (await box.commands.list()).find(each => each.pid === sleep.pid)
    assert.deepEqual([listed.cmd, listed.args.at(-1), listed.cwd], ['/bin/bash', 'exec sleep 1000', '/home/user'])
    assert.equal(await box.commands.kill(sleep.pid), true)
    await fails('CommandExitError', () => sleep.wait(), /signal: killed/)
    assert.equal(await out(`kill -0 ${sleep.pid} 2>/dev/null && echo there || echo gone`), 'gone')
    assert.equal(await box.commands.kill(sleep.pid), false)
    assert.ok(!(await box.commands.list()).some(each => each.pid === sleep.pid))
  },

  async 'a kill is told although others hold the pipes'() {
    const parent = await box.commands.run('setsid sleep 30 & sleep 1000', { background: true })
    await parent.kill()
    await fails('CommandExitError', () => parent.wait(), /killed/)
  },

  async 'a command is ended when its time is over'() {
    await fails('TimeoutError', () => box.commands.run('echo $$ > /tmp/late; exec sleep 1000', { timeoutMs: 1000 }))
    await until('its end', async () => (await out('kill -0 $(cat /tmp/late) 2>/dev/null && echo there || echo gone')) === 'gone')
  },

  async 'a client leaves and comes back'() {
    const counting = await box.commands.run('for i in $(seq 1 200); do echo $i; sleep 0.05; done', { background: true })
    await counting.disconnect()
    const again = await (await sdk.Sandbox.connect(box.sandboxId)).commands.connect(counting.pid)
    const { stdout } = await again.wait()
    assert.match(stdout, /^(\d+\n)+$/)
    assert.ok(stdout.endsWith('199\n200\n') && Number(stdout.split('\n')[0]) >= 1)
    const late = await box.commands.connect(counting.pid)
    assert.equal((await late.wait()).exitCode, 0)
    await fails('NotFoundError', () => box.commands.connect(999_999), /not found/)
  },

  async 'a terminal is one'() {
    let seen = ''
    const pty = await box.pty.create({ cols: 80, rows: 24, envs: { MINE: 'yes' }, cwd: '/tmp', onData: data => (seen += new TextDecoder().decode(data)) })
    const type = text => box.pty.sendInput(pty.pid, new TextEncoder().encode(text))
    await type('echo "<$MINE $(pwd) $(stty size) $(tty | cut -c1-5)>"\n')
    await until('its size', () => seen.includes('<yes /tmp 24 80 /dev/>'))
    await box.pty.resize(pty.pid, { cols: 100, rows: 30 })
    await until('its other size', async () => {
      await type('echo "<$(stty size)>"\n')
      return seen.includes('<30 100>')
    })
    await type('exit 7\n')
    await fails('CommandExitError', () => pty.wait(), /7/)
    const killed = await box.pty.create({ cols: 80, rows: 24, onData() {} })
    assert.equal(await box.pty.kill(killed.pid), true)
  },

  async 'two hundred streams are open at once'() {
    const most = client === 'old' ? 60 : 200
    const all = await Promise.all(Array.from({ length: most }, (_, i) => box.commands.run(`read line; echo "${i} $line"`, { background: true, stdin: true, timeoutMs: 0 })))
    assert.equal(new Set(all.map(each => each.pid)).size, most)
    await Promise.all(all.map(each => box.commands.sendStdin(each.pid, 'go\n')))
    assert.deepEqual((await Promise.all(all.map(each => each.wait()))).map(each => each.stdout), all.map((_, i) => `${i} go\n`))
  },

  async 'a repository is made through commands'() {
    if (!box.git) return
    assert.equal(await out('command -v git >/dev/null || echo none'), '', 'the template has git')
    await box.git.init('/home/user/repository', { initialBranch: 'main' })
    await box.git.configureUser('Somebody', 'somebody@example.org')
    await box.files.write('/home/user/repository/file', 'one')
    await box.git.add('/home/user/repository')
    await box.git.commit('/home/user/repository', 'Begin')
    const status = await box.git.status('/home/user/repository')
    assert.equal(status.isClean, true)
    assert.equal(status.currentBranch, 'main')
  },
})
