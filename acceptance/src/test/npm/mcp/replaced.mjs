// A client of `sandglass mcp` whose daemon is replaced while it works. Arguments: legacy|modern, and a name for the sandbox.
import assert from 'node:assert/strict';
import { cli, connect } from './connect.mjs';

const [era, name] = process.argv.slice(2);
const { call, client, close } = await connect(era, 'stdio');
const made = await call('create_sandbox', { name, network: 'none' });
assert.ok(!made.isError, made.content[0].text);
const background = await call('exec', { sandbox: name, command: 'exec sleep 5678', wait_seconds: 0 });
const lost = call('exec', { sandbox: name, command: 'echo begun > /root/begun; sleep 4; echo done > /root/done', wait_seconds: 300 });
lost.catch(() => {});
while (!(await cli('exec', name, 'cat /root/begun 2>/dev/null || true'))) {
  await new Promise((go) => setTimeout(go, 100));
}
await cli('down');
await cli('up');
await assert.rejects(lost, /replaced while it worked on this/);
console.log('ok what was lost is told');
const { commands } = (await call('list_commands', { sandbox: name })).structuredContent;
assert.equal(commands.find((one) => one.command === background.structuredContent.command).state, 'running');
const done = await call('exec', { sandbox: name, command: 'until [ -e /root/done ]; do sleep 0.1; done; cat /root/done' });
assert.equal(done.structuredContent.output, 'done\n');
assert.equal((await client.listTools()).tools.length, 17);
console.log('ok what was begun went on');
await call('destroy_sandbox', { sandbox: name });
await close();
console.log('ok all');
