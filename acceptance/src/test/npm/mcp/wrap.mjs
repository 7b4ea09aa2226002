// A server of the protocol's makers in a sandbox, behind `sandglass mcp wrap`. Argument: the snapshot that has it.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { json } from './connect.mjs';

const [snapshot] = process.argv.slice(2);
const client = new Client({ name: 'sandglass-tests', version: '1' });
const server = new StdioClientTransport({
  command: process.env.SANDGLASS,
  args: ['mcp', 'wrap', '--from', snapshot, '--memory', '768M', '-e', 'FOR_THE_SERVER=only', '--', 'node', '/opt/everything/node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio'],
  env: process.env,
  stderr: 'pipe',
});
let said = '';
server.stderr.on('data', (piece) => (said += piece));
const before = (await json('ls')).length;
await client.connect(server);
assert.equal((await json('ls')).length, before + 1);
console.log('ok it runs in a sandbox of its own');

const { tools } = await client.listTools();
assert.ok(tools.some((tool) => tool.name === 'echo'));
const echo = await client.callTool({ name: 'echo', arguments: { message: 'hello from outside: ü' } });
assert.match(echo.content[0].text, /hello from outside: ü/);
const environment = JSON.parse((await client.callTool({ name: 'get-env', arguments: {} })).content[0].text);
assert.equal(environment.FOR_THE_SERVER, 'only');
assert.equal(environment.SANDGLASS_DATA_DIR, undefined);
console.log('ok it answers, and knows nothing of this machine');

// More at a time than fits into any pipe on the way, both ways.
const long = 'x'.repeat(300_000);
const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => client.callTool({ name: 'echo', arguments: { message: `${i} ${long}` } })));
answers.forEach((answer, i) => assert.ok(answer.content[0].text.includes(`${i} ${long}`)));
console.log('ok nothing is lost under load');

assert.match(said, /Starting/);
console.log('ok what it says besides comes too');
await client.close();
for (let i = 0; (await json('ls')).length !== before; i++) {
  assert.ok(i < 300, 'its sandbox stays');
  await new Promise((go) => setTimeout(go, 100));
}
console.log('ok its sandbox goes with it');
