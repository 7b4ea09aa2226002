// The official clients, of both kinds of revisions of the protocol and over both transports, behind the same few calls.
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
const sandglass = process.env.SANDGLASS;

/** What the command line says, which knows nothing of this protocol. */
export async function cli(...words) {
  return (await run(sandglass, words, { maxBuffer: 64 << 20 })).stdout;
}

export async function json(...words) {
  return JSON.parse(await cli(...words, '-o', 'json'));
}

/** @param era legacy (begins with initialize) or modern (each request for itself); @param transport stdio or http */
export async function connect(era, transport) {
  const legacy = era === 'legacy';
  const info = { name: 'sandglass-tests', version: '1' };
  const client = legacy ? new LegacyClient(info) : new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(transport === 'stdio' ? overStdio(legacy) : overHttp(legacy));
  return {
    client,
    call: (name, args = {}, options = {}) => {
      const all = { timeout: 300_000, ...options };
      return legacy ? client.callTool({ name, arguments: args }, undefined, all) : client.callTool({ name, arguments: args }, all);
    },
    /** Tells of each change of a resource; returns how to end that. */
    watch: async (uri, changed) => {
      if (legacy) {
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, (notification) => changed(notification.params.uri));
        await client.subscribeResource({ uri });
        return () => client.unsubscribeResource({ uri });
      }
      client.setNotificationHandler('notifications/resources/updated', (notification) => changed(notification.params.uri));
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      return () => subscription.close();
    },
    close: () => client.close(),
  };
}

function overStdio(legacy) {
  const server = { command: sandglass, args: ['mcp'], env: process.env, stderr: 'inherit' };
  return legacy ? new LegacyStdio(server) : new StdioClientTransport(server);
}

function overHttp(legacy) {
  const token = readFileSync(process.env.SANDGLASS_DATA_DIR + '/token', 'utf8').trim();
  const url = new URL('http://' + process.env.SANDGLASS_LISTEN + '/mcp');
  const options = { requestInit: { headers: { Authorization: 'Bearer ' + token } } };
  return legacy ? new LegacyHttp(url, options) : new StreamableHTTPClientTransport(url, options);
}
