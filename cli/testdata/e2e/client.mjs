// An ordinary client on the official TypeScript SDK. It starts a server, makes
// the calls it is given one after the other, and prints what it saw as JSON.
//
//   node client.mjs SDK_FOLDER CALLS_FILE COMMAND ARGS...
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';

const [sdk, callsFile, command, ...args] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(sdk, 'dist', 'esm', 'client', name)).href);
const { Client } = await load('index.js');
const { StdioClientTransport } = await load('stdio.js');

const client = new Client({ name: 'e2e', version: '1.0.0' }, { capabilities: {} });
const transport = new StdioClientTransport({ command, args, env: process.env });
const saw = { transportErrors: 0, tools: [], calls: [] };
transport.onerror = () => { saw.transportErrors++; };
await client.connect(transport);
saw.server = client.getServerVersion();
saw.capabilities = client.getServerCapabilities();
saw.instructions = client.getInstructions();

// Some servers add tools just after the handshake: look until the list rests.
for (let last; ;) {
  saw.tools = (await client.listTools()).tools;
  const now = JSON.stringify(saw.tools);
  if (now === last) break;
  last = now;
  await new Promise((resolve) => setTimeout(resolve, 400));
}
for (const call of JSON.parse(readFileSync(callsFile, 'utf8'))) {
  try {
    saw.calls.push(await client.callTool(call));
  } catch (error) {
    saw.calls.push({ code: error.code, message: error.message });
  }
}
await client.close();
console.log(JSON.stringify(saw, null, 1));
