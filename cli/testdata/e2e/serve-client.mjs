// A client on an official TypeScript SDK, of either generation: it lists the tools
// of a Streamable HTTP server, makes the calls it is given and prints what it saw.
//
//   node serve-client.mjs SDK_FOLDER CALLS_FILE URL
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';

const [sdk, callsFile, url] = process.argv.slice(2);
const load = (...name) => import(pathToFileURL(join(sdk, 'dist', ...name)).href);
const first = existsSync(join(sdk, 'dist', 'esm')); // the first generation
const { Client } = first ? await load('esm', 'client', 'index.js') : await load('index.mjs');
const { StreamableHTTPClientTransport } = first ? await load('esm', 'client', 'streamableHttp.js') : await load('index.mjs');

const client = new Client({ name: 'e2e', version: '1.0.0' }, first ? {} : { versionNegotiation: { mode: 'auto' } });
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
const saw = { tools: (await client.listTools()).tools.map((tool) => tool.name), calls: [] };
for (const call of JSON.parse(readFileSync(callsFile, 'utf8'))) {
  const result = await client.callTool(call); // it validates structured content itself
  saw.calls.push({ name: call.name, isError: result.isError ?? false, structured: result.structuredContent ?? null });
}
await client.close();
console.log(JSON.stringify(saw));
