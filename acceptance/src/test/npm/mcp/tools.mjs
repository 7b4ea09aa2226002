// Every tool, resource and prompt, each shown by its effect. Arguments: legacy|modern stdio|http, and the runtime of the sandboxes.
import assert from 'node:assert/strict';
import http from 'node:http';
import { cli, connect, json } from './connect.mjs';

const [era, transport, runtime] = process.argv.slice(2);
const name = `mcp-${era}-${transport}-${runtime}`;
const { client, call, watch, close } = await connect(era, transport);

/** The structured answer of a call that must work. */
async function good(tool, args, options) {
  const answer = await call(tool, args, options);
  assert.ok(!answer.isError, `${tool}: ${answer.content[0]?.text}`);
  return answer.structuredContent;
}

/** The text of a call that must not. */
async function bad(tool, args) {
  const answer = await call(tool, args);
  assert.equal(answer.isError, true, `${tool} went well: ${JSON.stringify(answer)}`);
  return answer.content[0].text;
}

async function eventually(what, holds) {
  for (let i = 0; !(await holds()); i++) {
    assert.ok(i < 1200, what);
    await new Promise((go) => setTimeout(go, 100));
  }
}

async function step(what, does) {
  await does();
  console.log(`ok ${what}`);
}

await step('what is told of the tools', async () => {
  const { tools } = await client.listTools();
  const called = (hint) => tools.filter((tool) => tool.annotations[hint]).map((tool) => tool.name).sort();
  assert.equal(tools.length, 17);
  assert.deepEqual(called('destructiveHint'), ['delete_snapshot', 'destroy_sandbox', 'exec', 'kill_command', 'rewind', 'write_file']);
  assert.deepEqual(called('readOnlyHint'), ['diff', 'list_commands', 'list_files', 'list_sandboxes', 'read_file', 'read_output', 'snapshot_tree']);
  assert.ok(tools.every((tool) => tool.title && tool.description.length > 20 && tool.inputSchema.additionalProperties === false && tool.outputSchema.type === 'object'));
  assert.match(client.getInstructions(), /rewind/);
  assert.equal(client.getServerVersion().name, 'sandglass');
});

await step('create_sandbox', async () => {
  const told = [];
  const box = await good('create_sandbox', { name, runtime, network: 'none', memory_mb: 512, cpus: 1, env: { GREETING: 'hello' } }, { onprogress: (progress) => told.push(progress) });
  assert.equal(box.state, 'running');
  const seen = await json('inspect', name);
  assert.deepEqual([seen.id, seen.runtime, seen.memory_mb, seen.state], [box.id, runtime, 512, 'running']);
  assert.ok(told.every((progress, i) => progress.total === 1 && (i === 0 || progress.progress > told[i - 1].progress)), JSON.stringify(told));
});

await step('list_sandboxes', async () => {
  const page = await good('list_sandboxes', { name });
  assert.deepEqual(page.sandboxes.map((box) => box.name), [name]);
});

await step('write_file', async () => {
  const text = 'first\nsecond: ü 好\n';
  assert.deepEqual(await good('write_file', { sandbox: name, path: '/workspace/deep/er/file.txt', content: text }), { path: '/workspace/deep/er/file.txt', size: 21 });
  assert.equal(await cli('exec', name, '--', 'cat', '/workspace/deep/er/file.txt'), text);
  await good('write_file', { sandbox: name, path: '/workspace/tool', content: Buffer.from('#!/bin/sh\necho ran $1\n').toString('base64'), encoding: 'base64', mode: '755' });
  assert.equal(await cli('exec', name, '--', '/workspace/tool', 'it'), 'ran it\n');
});

await step('exec', async () => {
  const ended = await good('exec', { sandbox: name, command: 'echo out; echo $GREETING; sleep 0.3; echo err >&2; exit 3' });
  assert.deepEqual([ended.state, ended.exit_code, ended.output], ['exited', 3, 'out\nhello\nerr\n']);
  const program = await good('exec', { sandbox: name, argv: ['sh', '-c', 'pwd; id -un; echo $A'], cwd: '/tmp', user: 'nobody', env: { A: 'b c' } });
  assert.equal(program.output, '/tmp\nnobody\nb c\n');
  const fed = await good('exec', { sandbox: name, command: 'tr a-z A-Z; echo over', stdin: 'some input\n' });
  assert.equal(fed.output, 'SOME INPUT\nover\n');
  const slow = await good('exec', { sandbox: name, command: 'sleep 1000', timeout_seconds: 1 });
  assert.deepEqual([slow.exit_code, slow.reason], [137, 'timeout']);
});

await step('exec tells what comes while it comes', async () => {
  const told = [];
  const ended = await good('exec', { sandbox: name, command: 'for i in 1 2 3 4 5; do echo tick $i; sleep 0.4; done' }, { onprogress: (progress) => told.push(progress) });
  assert.equal(ended.output, 'tick 1\ntick 2\ntick 3\ntick 4\ntick 5\n');
  assert.ok(told.length >= 2 && told.every((progress) => /^tick \d/.test(progress.message)), JSON.stringify(told));
  assert.ok(told.every((progress, i) => i === 0 || progress.progress > told[i - 1].progress));
});

await step('exec returns the beginning and the end of what is long, and read_output the rest', async () => {
  const all = Array.from({ length: 30_000 }, (_, i) => `${i + 1}\n`).join('');
  const answer = await call('exec', { sandbox: name, command: 'seq 30000', output_limit: 4096 });
  const { output, omitted, next_offset, command } = answer.structuredContent;
  assert.ok(output.length < 4300 && output.startsWith('1\n2\n') && output.endsWith('29999\n30000\n'));
  assert.equal(next_offset, all.length);
  assert.deepEqual(answer.content[1].uri, `sandglass://sandboxes/${name}/commands/${command}/output`);
  let rest = '';
  for (let offset = omitted.offset; offset < omitted.offset + omitted.bytes; ) {
    const piece = await good('read_output', { sandbox: name, command, offset, limit: Math.min(65_536, omitted.offset + omitted.bytes - offset) });
    assert.ok(piece.next_offset > offset && !piece.dropped, JSON.stringify(piece).slice(0, 200));
    rest += piece.output;
    offset = piece.next_offset;
  }
  assert.equal(all.slice(0, omitted.offset) + rest + all.slice(omitted.offset + omitted.bytes), all);
  const { contents } = await client.readResource({ uri: answer.content[1].uri });
  assert.equal(contents[0].text, all);
});

await step('read_output, list_commands and kill_command', async () => {
  const begun = await good('exec', { sandbox: name, command: 'echo begun; exec sleep 1234', wait_seconds: 0 });
  assert.equal(begun.state, 'running');
  const { commands } = await good('list_commands', { sandbox: name });
  assert.deepEqual(commands.find((one) => one.command === begun.command).argv, ['echo begun; exec sleep 1234']);
  await eventually('it prints', async () => (await good('read_output', { sandbox: name, command: begun.command })).output === 'begun\n');
  await good('kill_command', { sandbox: name, command: begun.command });
  const end = await good('read_output', { sandbox: name, command: begun.command, offset: 6, wait_seconds: 60 });
  assert.deepEqual([end.state, end.exit_code, end.output], ['exited', 143, '']);
  assert.ok(!(await cli('ps', name, '-o', 'table')).includes('1234'));
});

await step('a request that is taken back ends its command', async () => {
  const stop = new AbortController();
  const waiting = call('exec', { sandbox: name, command: 'sleep 4321' }, { signal: stop.signal });
  waiting.catch(() => {});
  const runs = async () => (await cli('exec', name, '--', 'pgrep', '-cx', '-f', 'sleep 4321').catch((none) => none.stdout)).trim() !== '0';
  await eventually('it runs', runs);
  stop.abort();
  await assert.rejects(waiting);
  await eventually('it is gone', async () => !(await runs()));
});

await step('read_file', async () => {
  const piece = await good('read_file', { sandbox: name, path: '/workspace/deep/er/file.txt', limit: 16 });
  assert.deepEqual(piece, { path: '/workspace/deep/er/file.txt', size: 21, encoding: 'utf-8', content: 'first\nsecond: ü', next_offset: 16 });
  const rest = await good('read_file', { sandbox: name, path: '/workspace/deep/er/file.txt', offset: 16 });
  assert.equal(rest.content, ' 好\n');
  await cli('exec', name, '--', 'sh', '-c', 'printf "\\000\\377" > /workspace/bytes');
  assert.deepEqual(await good('read_file', { sandbox: name, path: '/workspace/bytes' }), { path: '/workspace/bytes', size: 2, encoding: 'base64', content: 'AP8=' });
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await good('write_file', { sandbox: name, path: '/workspace/dot.png', content: png, encoding: 'base64' });
  const picture = await call('read_file', { sandbox: name, path: '/workspace/dot.png' });
  assert.deepEqual(picture.content, [{ type: 'image', data: png, mimeType: 'image/png' }]);
});

await step('list_files', async () => {
  const { entries, truncated } = await good('list_files', { sandbox: name, path: '/workspace', depth: 3 });
  assert.equal(truncated, false);
  const file = entries.find((entry) => entry.path.endsWith('deep/er/file.txt'));
  assert.deepEqual([file.kind, file.size], ['file', 21]);
  assert.equal((await good('list_files', { sandbox: name, path: '/usr/bin', limit: 3 })).entries.length, 3);
});

await step('snapshot, diff, rewind and its undo', async () => {
  const kept = await good('snapshot', { sandbox: name, name: `${name}-good`, description: 'before it goes wrong' });
  assert.equal(kept.kind, runtime === 'gvisor' ? 'full' : (await json('snapshot', 'inspect', `${name}-good`)).kind);
  assert.equal((await json('snapshot', 'inspect', `${name}-good`)).id, kept.id);
  await good('exec', { sandbox: name, command: 'echo third >> /workspace/deep/er/file.txt; rm /workspace/tool; echo new > /workspace/new' });
  const diff = await good('diff', { from: kept.id, to: name, text: true });
  const changes = Object.fromEntries(diff.files.map((file) => [file.path, file]));
  assert.equal(changes['/workspace/new'].change, 'added');
  assert.equal(changes['/workspace/tool'].change, 'removed');
  assert.match(changes['/workspace/deep/er/file.txt'].text, /^\+third$/m);
  const back = await good('rewind', { sandbox: name, snapshot: `${name}-good` });
  assert.equal(back.state, 'running');
  assert.equal(await cli('exec', name, 'cat /workspace/deep/er/file.txt; /workspace/tool again; ls /workspace/new 2>/dev/null || true'), 'first\nsecond: ü 好\nran again\n');
  await good('rewind', { sandbox: name, undo: true });
  assert.equal(await cli('exec', name, 'tail -n 1 /workspace/deep/er/file.txt; cat /workspace/new'), 'third\nnew\n');
  await good('rewind', { sandbox: name, snapshot: kept.id });
  assert.match(await bad('rewind', { sandbox: name }), /^invalid_request: snapshot, undo: /);
});

await step('fork and create_sandbox from a snapshot', async () => {
  const { sandboxes } = await good('fork', { source: name, count: 2, name: `${name}-copy` });
  assert.deepEqual(sandboxes.map((box) => box.name).sort(), [`${name}-copy-1`, `${name}-copy-2`]);
  await good('exec', { sandbox: `${name}-copy-1`, command: 'echo one > /workspace/deep/er/file.txt' });
  assert.equal(await cli('exec', `${name}-copy-1`, 'cat /workspace/deep/er/file.txt'), 'one\n');
  assert.equal(await cli('exec', `${name}-copy-2`, 'head -n 1 /workspace/deep/er/file.txt'), 'first\n');
  assert.equal(await cli('exec', name, 'head -n 1 /workspace/deep/er/file.txt'), 'first\n');
  const made = await good('create_sandbox', { name: `${name}-made`, from: `${name}-good` });
  assert.equal(await cli('exec', made.id, '/workspace/tool made'), 'ran made\n');
  assert.equal((await good('fork', { source: `${name}-good`, name: `${name}-third` })).sandboxes[0].name, `${name}-third`);
  for (const copy of ['copy-1', 'copy-2', 'made', 'third']) {
    await good('destroy_sandbox', { sandbox: `${name}-${copy}` });
  }
  assert.deepEqual((await json('ls')).map((box) => box.name).filter((one) => one.startsWith(name)), [name]);
});

await step('snapshot_tree', async () => {
  const answer = await call('snapshot_tree');
  assert.match(answer.content[0].text, new RegExp(`snapshot ${name}-good \\(snap-[a-z0-9]{12}, .*: before it goes wrong\\n(.*\\n)* +sandbox ${name} `));
  assert.ok(answer.structuredContent.snapshots.some((one) => one.name === `${name}-good`));
});

await step('expose_port', async () => {
  await good('exec', { sandbox: name, command: 'cd /workspace/deep/er && exec python3 -m http.server 8000', wait_seconds: 0 });
  const { url, expires_at } = await good('expose_port', { sandbox: name, port: 8000, expires_seconds: 600 });
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 600_000) < 120_000);
  const at = new URL(url);
  const get = (path) => new Promise((answered, failed) => {
    http.get({ host: '127.0.0.1', port: at.port, path, headers: { Host: at.host } }, (response) => {
      let body = '';
      response.on('data', (piece) => (body += piece)).on('end', () => answered({ status: response.statusCode, body, cookie: response.headers['set-cookie'] }));
    }).on('error', failed);
  });
  let answer;
  await eventually('it answers', async () => (answer = await get(`/file.txt${at.search}`)).status !== 502);
  if (answer.status !== 200) {
    assert.fail(`${answer.status} ${answer.body}`);
  }
  assert.match(answer.body, /^first\n/);
  assert.equal((await get('/file.txt')).status, 401);
});

await step('errors say why, and what to do', async () => {
  assert.match(await bad('exec', { sandbox: 'nobody-here', command: 'true' }), /^sandbox_not_found: There is no sandbox nobody-here\.\n.+/);
  assert.match(await bad('exec', { sandbox: name, command: 'true', argv: ['true'] }), /^invalid_request: command, argv: /);
  assert.match(await bad('exec', { sandbox: name, command: 7 }), /^invalid_request: arguments\.command: 7 \(expected: string\)\./);
  assert.match(await bad('exec', { command: 'true' }), /arguments\.sandbox is missing/);
  assert.match(await bad('exec', { sandbox: name, command: 'true', colour: 'red' }), /colour is not a known field/);
  assert.match(await bad('read_file', { sandbox: name, path: '/nothing/here' }), /^path_not_found: /);
  assert.match(await bad('write_file', { sandbox: name, path: '/x', content: '?', encoding: 'base64' }), /not base64/);
  assert.match(await bad('create_sandbox', { name }), /^name_taken: /);
  await assert.rejects(call('no_such_tool'), /no tool of that name|not found/i);
});

await step('resources', async () => {
  const { id } = await json('inspect', name);
  const { resources } = await client.listResources();
  assert.ok(resources.some((one) => one.uri === 'sandglass://tree') && resources.some((one) => one.uri === `sandglass://sandboxes/${id}` && one.name === name));
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates.length, 4);
  const read = async (uri) => (await client.readResource({ uri })).contents[0];
  assert.equal(JSON.parse((await read(`sandglass://sandboxes/${name}`)).text).id, id);
  assert.match((await read('sandglass://tree')).text, new RegExp(`sandbox ${name} `));
  assert.equal(JSON.parse((await read(`sandglass://snapshots/${name}-good`)).text).description, 'before it goes wrong');
  assert.equal((await read(`sandglass://sandboxes/${name}/files/workspace/deep/er/file.txt`)).text, 'first\nsecond: ü 好\n');
  assert.equal((await read(`sandglass://sandboxes/${name}/files/workspace/bytes`)).blob, 'AP8=');
  await assert.rejects(client.readResource({ uri: 'sandglass://sandboxes/nobody-here' }), /no sandbox nobody-here/);
  await assert.rejects(client.readResource({ uri: 'file:///etc/passwd' }), /no resource/);
  const completed = await client.complete({ ref: { type: 'ref/resource', uri: 'sandglass://sandboxes/{sandbox}' }, argument: { name: 'sandbox', value: name.slice(0, -1) } });
  assert.deepEqual(completed.completion.values, [name]);
});

await step('resources that change', async () => {
  const changed = [];
  const end = await watch('sandglass://tree', (uri) => changed.push(uri));
  await new Promise((go) => setTimeout(go, 500)); // an older client opens its stream when it likes
  await eventually('it is told', async () => {
    await cli('snapshot', 'create', name, '--disk-only', '--expires', '1h');
    return changed.includes('sandglass://tree');
  });
  await end();
});

await step('prompts', async () => {
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((prompt) => prompt.name), ['checkpoint_try_rewind', 'try_several_ways']);
  const prompt = await client.getPrompt({ name: 'checkpoint_try_rewind', arguments: { task: 'move to Python 3.13', sandbox: name } });
  assert.equal(prompt.messages[0].role, 'user');
  assert.match(prompt.messages[0].content.text, new RegExp(`Do this task: move to Python 3\\.13\\n[^]*Work in ${name}, [^]*snapshot[^]*rewind`));
  await assert.rejects(client.getPrompt({ name: 'checkpoint_try_rewind', arguments: {} }), /task/);
});

await step('delete_snapshot and destroy_sandbox', async () => {
  await good('delete_snapshot', { snapshot: `${name}-good` });
  await assert.rejects(cli('snapshot', 'inspect', `${name}-good`));
  const { id } = await json('inspect', name);
  assert.deepEqual(await good('destroy_sandbox', { sandbox: name }), { destroyed: id });
  await assert.rejects(cli('inspect', name));
});

await close();
console.log('ok all');
