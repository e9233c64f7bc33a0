// The official TypeScript clients against one server after another: connect,
// list the tools, call the first one. It prints MODE: STAGE, where STAGE is ok, or
// what failed or hung: connect, list or call.
//
//   node portability.mjs FOLDER 1|2 SERVER_SCRIPT MODE...
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const [folder, major, server, ...modes] = process.argv.slice(2);
const load = (...path) => import(pathToFileURL(join(folder, ...path)).href);
const { Client, StdioClientTransport } = major === '1'
  ? { ...await load('sdk', 'dist', 'esm', 'client', 'index.js'), ...await load('sdk', 'dist', 'esm', 'client', 'stdio.js') }
  : { ...await load('client', 'dist', 'index.mjs'), ...await load('client', 'dist', 'stdio.mjs') };
const timeout = 12000;

async function run(mode) {
  const client = new Client({ name: 'e2e', version: '1.0.0' }, { capabilities: {} });
  client.onerror = () => {};
  const transport = new StdioClientTransport({ command: process.execPath, args: [server, mode], stderr: 'ignore' });
  let stage = 'connect';
  try {
    await client.connect(transport, { timeout });
    stage = 'list';
    const { tools } = await client.listTools(undefined, { timeout });
    if (tools.length === 0) return stage;
    stage = 'call';
    await client.callTool({ name: tools[0].name, arguments: {} }, ...(major === '1' ? [undefined] : []), { timeout });
    return 'ok';
  } catch (error) {
    if (stage === 'call' && error.code === -32602 && /^(code|error)-/.test(mode)) return 'ok';
    if (process.env.DETAIL) console.error(mode, stage, String(error.message).slice(0, 150).replaceAll('\n', ' '));
    return stage;
  } finally {
    await client.close().catch(() => {});
  }
}

const next = modes.values();
await Promise.all(Array.from({ length: 4 }, async () => {
  for (const mode of next) console.log(`${mode}: ${await run(mode)}`);
}));
process.exit(0);
