// A stdio MCP server that is fine but for the one thing that its argument names.
//
//   node broken.mjs MODE [REVISION]
import { createInterface } from 'node:readline';

const mode = process.argv[2];
const ok = { content: [{ type: 'text', text: 'ok' }] };
const schema = { type: 'object', properties: {} };
const tool = { name: 't', description: 'Does nothing.', inputSchema: schema, annotations: { readOnlyHint: true } };
const output = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };

// What is wrong in the catalog: the tools, or the whole result of tools/list.
const tools = {
  'schema-no-type': [{ ...tool, inputSchema: {} }],
  'schema-other-type': [{ ...tool, inputSchema: { type: 'array' } }],
  'schema-null': [{ ...tool, inputSchema: null }],
  'schema-missing': [{ name: 't', description: 'Does nothing.', annotations: { readOnlyHint: true } }],
  'schema-text': [{ ...tool, inputSchema: 'none' }],
  'schema-boolean-property': [{ ...tool, inputSchema: { type: 'object', properties: { a: true } } }],
  'schema-properties-null': [{ ...tool, inputSchema: { type: 'object', properties: null } }],
  'schema-required-null': [{ ...tool, inputSchema: { type: 'object', required: null } }],
  'schema-required-object': [{ ...tool, inputSchema: { type: 'object', required: {} } }],
  'schema-additional-null': [{ ...tool, inputSchema: { type: 'object', additionalProperties: null } }],
  'schema-dangling-ref': [{ ...tool, inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } }],
  'description-null': [{ ...tool, description: null }],
  'description-number': [{ ...tool, description: 7 }],
  'title-null': [{ ...tool, title: null }],
  'name-missing': [{ description: 'Does nothing.', inputSchema: schema }],
  'name-null': [{ ...tool, name: null }],
  'name-odd': [{ ...tool, name: 'do it (now)' }],
  'name-twice': [tool, tool],
  'annotations-null': [{ ...tool, annotations: null }],
  'annotation-text': [{ ...tool, annotations: { readOnlyHint: 'true' } }],
  'annotation-null': [{ ...tool, annotations: { readOnlyHint: null } }],
  'meta-null': [{ ...tool, _meta: null }],
  'icons-null': [{ ...tool, icons: null }],
  'output-null': [{ ...tool, outputSchema: null }],
  'output-no-type': [{ ...tool, outputSchema: { properties: { a: { type: 'number' } } } }],
  'output-array': [{ ...tool, outputSchema: { type: 'array', items: {} } }],
  'output-unknown-type': [{ ...tool, outputSchema: { type: 'object', properties: { a: { type: 'strin' } } } }],
  'output-dangling-ref': [{ ...tool, outputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } }],
  'output-remote-ref': [{ ...tool, outputSchema: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:9/a.json' } } } }],

  'output-unfulfilled': [{ ...tool, outputSchema: output }],
  'output-mismatch': [{ ...tool, outputSchema: output }],
  'output-fulfilled': [{ ...tool, outputSchema: output }],
  'extra-member': [{ ...tool, colour: 'red' }],
};
const lists = {
  'cursor-null': { tools: [tool], nextCursor: null },
  'cursor-number': { tools: [tool], nextCursor: 7 },
  'cursor-empty': { tools: [tool], nextCursor: '' },
  'tools-null': { tools: null },
  'tools-missing': {},
  'list-meta-null': { tools: [tool], _meta: null },
};
// What is wrong in the result of tools/call.
const results = {
  'content-unknown': { content: [{ type: 'hologram', data: 'x' }] },
  'content-null': { content: null },
  'content-text': { content: 'ok' },
  'content-missing': { structuredContent: { a: 1 } },
  'content-item-text': { content: ['ok'] },
  'content-no-type': { content: [{ text: 'ok' }] },
  'text-missing': { content: [{ type: 'text' }] },
  'text-number': { content: [{ type: 'text', text: 7 }] },
  'image-base64': { content: [{ type: 'image', data: 'not base64!', mimeType: 'image/png' }] },
  'image-no-mime': { content: [{ type: 'image', data: 'AAAA' }] },
  'resource-flat': { content: [{ type: 'resource', uri: 'a:b', text: 'ok' }] },
  'link-no-name': { content: [{ type: 'resource_link', uri: 'a:b' }] },
  'is-error-text': { ...ok, isError: 'false' },
  'is-error-null': { ...ok, isError: null },
  'structured-array': { ...ok, structuredContent: [1] },
  'structured-null': { ...ok, structuredContent: null },
  'result-meta-null': { ...ok, _meta: null },
  'result-null': null,
  'result-text': 'ok',
  'result-array': [],
  'output-mismatch': { ...ok, structuredContent: { a: 'x' } },
  'output-fulfilled': { ...ok, structuredContent: { a: 1 } },
};
const errors = {
  'code-float': { code: -32602.5, message: 'x' },
  'code-text': { code: 'E1', message: 'x' },
  'error-text': 'boom',
  'error-no-message': { code: -32602 },
  'error-message-null': { code: -32602, message: null },
  'error-proper': { code: -32602, message: 'x' },
};

const raw = (text) => process.stdout.write(text);
const send = (m, method) => {
  const line = JSON.stringify(m);
  switch (mode) {
    case 'trailing-blank': return raw(line + ' \n');
    case 'leading-blank': return raw(' ' + line + '\n');
    case 'crlf': return raw(line + '\r\n');
    case 'blank-lines': return raw('\n' + line + '\n\n');
    case 'pretty': return raw(JSON.stringify(m, null, 2) + '\n');
    case 'concatenated': return raw(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }) + line + '\n');
    case 'no-jsonrpc': { const { jsonrpc, ...rest } = m; return raw(JSON.stringify(rest) + '\n'); }
    case 'jsonrpc-1': return raw(JSON.stringify({ ...m, jsonrpc: '1.0' }) + '\n');
    case 'response-extra': return raw(JSON.stringify({ ...m, colour: 'red' }) + '\n');
    case 'batch': return raw(JSON.stringify([m]) + '\n');
    case 'twice': return raw(line + '\n' + line + '\n');
    case 'id-text': return raw(JSON.stringify({ ...m, id: String(m.id) }) + '\n');
    case 'id-float': return raw(line.replace(/"id":(\d+)/, '"id":$1.0') + '\n');
    case 'error-null': return raw(JSON.stringify({ ...m, error: m.error ?? null }) + '\n');
    case 'bom': if (method === first) return raw('\uFEFF' + line + '\n');
  }
  raw(line + '\n');
};
let first;
if (mode === 'banner') raw('Server running on stdio\n');
if (mode === 'colour') raw('\x1b[32mready\x1b[0m\n');
if (mode === 'json-log') raw('{"level":"info","msg":"ready"}\n');
if (mode === 'json-number') raw('42\n');
if (mode === 'json-text') raw('"ready"\n');
if (mode === 'early-notification') raw('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n');
if (mode === 'error-id-null') raw('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}\n');
if (mode === 'error-no-id') raw('{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}\n');
if (mode === 'stray-response') raw('{"jsonrpc":"2.0","id":4711,"result":{}}\n');
if (mode === 'bad-utf8') process.stdout.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  first ??= method;
  const answer = (result) => send({ jsonrpc: '2.0', id, result }, method);
  const refuse = (error) => send({ jsonrpc: '2.0', id, error }, method);
  switch (method) {
    case 'initialize': {
      const result = { protocolVersion: mode === 'version-unknown' ? '1999-01-01' : process.argv[3] ?? '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'broken', version: '1' } };
      if (mode === 'info-missing') delete result.serverInfo;
      if (mode === 'info-no-version') delete result.serverInfo.version;
      if (mode === 'capabilities-missing') delete result.capabilities;
      if (mode === 'capabilities-null') result.capabilities = null;
      if (mode === 'capability-null') result.capabilities.tools = null;
      if (mode === 'capability-true') result.capabilities.tools = true;
      if (mode === 'instructions-null') result.instructions = null;
      return answer(result);
    }
    case 'ping': return answer({});
    case 'tools/list':
      if (mode === 'mid-log') raw('listing tools\n');
      if (mode === 'mid-utf8') process.stdout.write(Buffer.from('log \xff\n', 'latin1'));
      if (params?.cursor) return answer({ tools: [] });
      return answer(lists[mode] ?? { tools: tools[mode] ?? [tool] });
    case 'tools/call':
      if (mode === 'call-exit') process.exit(0);
      if (mode === 'unterminated') { raw(JSON.stringify({ jsonrpc: '2.0', id, result: ok })); return process.exit(0); }
      if (mode === 'result-and-error') return send({ jsonrpc: '2.0', id, result: ok, error: { code: 1, message: 'x' } }, method);
      if (mode === 'result-missing') return send({ jsonrpc: '2.0', id }, method);
      if (mode in errors) return refuse(errors[mode]);
      return answer(mode in results ? results[mode] : ok);
  }
  return refuse({ code: -32601, message: 'Method not found' });
});

// What can be wrong, when no argument is given.
if (!mode) {
  const others = ['clean', 'trailing-blank', 'leading-blank', 'crlf', 'blank-lines', 'pretty', 'concatenated', 'no-jsonrpc', 'jsonrpc-1', 'response-extra', 'batch',
    'twice', 'id-text', 'id-float', 'error-null', 'bom', 'banner', 'colour', 'json-log', 'json-number', 'json-text', 'early-notification', 'error-id-null', 'error-no-id',
    'stray-response', 'bad-utf8', 'version-unknown', 'info-missing', 'info-no-version', 'capabilities-missing', 'capabilities-null', 'capability-null', 'capability-true',
    'instructions-null', 'mid-log', 'mid-utf8', 'call-exit', 'unterminated', 'result-and-error', 'result-missing'];
  const all = [...others, ...Object.keys(tools), ...Object.keys(lists), ...Object.keys(results), ...Object.keys(errors)];
  console.log([...new Set(all)].join('\n'));
  process.exit(0);
}
