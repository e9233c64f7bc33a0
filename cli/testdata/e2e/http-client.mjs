// A client on an official TypeScript SDK, of either generation. It connects to a
// Streamable HTTP server, makes the calls it is given one after the other, and
// prints what it saw as JSON.
//
//   node http-client.mjs SDK_FOLDER CALLS_FILE URL
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';

const [sdk, callsFile, url] = process.argv.slice(2);
const load = (...name) => import(pathToFileURL(join(sdk, 'dist', ...name)).href);
const first = existsSync(join(sdk, 'dist', 'esm')); // the first generation
const { Client } = first ? await load('esm', 'client', 'index.js') : await load('index.mjs');
const { StreamableHTTPClientTransport } = first ? await load('esm', 'client', 'streamableHttp.js') : await load('index.mjs');

const saw = { errors: 0, asked: [], calls: [] };
const options = { capabilities: { sampling: {}, elicitation: {} } };
if (!first) options.versionNegotiation = { mode: 'auto' };
const client = new Client({ name: 'e2e', version: '1.0.0' }, options);
const answers = {
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: '42' } },
  'elicitation/create': { action: 'decline' },
};
if (first) {
  const types = await load('esm', 'types.js');
  for (const schema of [types.CreateMessageRequestSchema, types.ElicitRequestSchema]) {
    client.setRequestHandler(schema, (request) => { saw.asked.push(request.method); return answers[request.method]; });
  }
} else {
  for (const method of Object.keys(answers)) {
    client.setRequestHandler(method, () => { saw.asked.push(method); return answers[method]; });
  }
}
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
saw.server = client.getServerVersion();
saw.capabilities = client.getServerCapabilities();
for (const call of JSON.parse(readFileSync(callsFile, 'utf8'))) {
  const seen = { progress: [] };
  const watch = { onprogress: (p) => seen.progress.push(p.progress) };
  try {
    seen.result = await (first ? client.callTool(call, undefined, watch) : client.callTool(call, watch));
  } catch (error) {
    seen.code = error.code;
    seen.message = error.message;
  }
  saw.calls.push(seen);
}
saw.asked.sort();
if (transport.sessionId) await transport.terminateSession();
await client.close();
console.log(JSON.stringify(saw, null, 1));
