// The TypeScript clients over stdio.
//   node typescript.mjs sdk          @modelcontextprotocol/sdk, initialize only
//   node typescript.mjs modern|auto  @modelcontextprotocol/client
import { setTimeout as sleep } from 'node:timers/promises';
import { SETTLE_MS, check, checkGone, complaint, finish, gone, plan, server } from './common.mjs';

const which = process.argv[2];
const target = server(`typescript-${which}`);
const identity = { name: 'filewright-clients', version: '1' };
const process_ = { command: target.command, args: target.args, env: process.env, stderr: 'inherit' };
let client;
let call;
let transport;
if (which === 'sdk') {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  client = new Client(identity, { capabilities: {} });
  transport = new StdioClientTransport(process_);
  call = (it, options) => client.callTool({ name: it.tool, arguments: it.arguments }, undefined, options);
} else {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const mode = which === 'modern' ? { pin: '2026-07-28' } : 'auto';
  client = new Client(identity, { capabilities: {}, versionNegotiation: { mode } });
  transport = new StdioClientTransport(process_);
  call = (it, options) => client.callTool({ name: it.tool, arguments: it.arguments }, options);
}
const complaints = [];
client.onerror = (error) => complaints.push(error.message);
const failure = (promise) => promise.then(() => undefined, (error) => error);

const refused = await failure(client.connect(transport));
check('connect', refused?.message);
if (refused) finish();
check('the server names itself', client.getServerVersion()?.name === 'filewright' ? undefined : JSON.stringify(client.getServerVersion()));
if (which !== 'sdk') {
  const revision = client.getNegotiatedProtocolVersion();
  check(`the revision is ${revision}`, revision === '2026-07-28' ? undefined : 'not the modern one');
}

const names = (await client.listTools()).tools.map((tool) => tool.name);
check('tools/list', String(names) === String(plan.tools) ? undefined : names);

for (const it of plan.calls) {
  const answer = await call(it).then((result) => complaint(it, result), (error) => error.message);
  check(`${it.tool} ${JSON.stringify(it.arguments)}`, answer);
}
const unknown = await failure(call({ tool: 'no_such_tool', arguments: {} }));
check('an unknown tool is refused with -32602', unknown?.code === -32602 ? undefined : `${unknown?.code} ${unknown?.message}`);

const answers = await Promise.all(
  Array.from({ length: 100 }, () => call(plan.many).then((result) => complaint(plan.many, result), (error) => error.message))
);
const bad = answers.filter(Boolean);
check('100 calls at once', bad.length === 0 ? undefined : `${bad.length} bad, the first: ${bad[0]}`);

const stop = new AbortController();
const pending = failure(call(plan.slow, { signal: stop.signal }));
await sleep(100);
stop.abort('no longer needed');
check('a cancelled call ends', (await pending) ? undefined : 'it was answered before it was cancelled');
check('the next call is answered', await call(plan.many).then((result) => complaint(plan.many, result), (error) => error.message));
await sleep(SETTLE_MS);

const pid = target.pid();
const since = performance.now();
const closed = client.close();
checkGone(await gone(pid, since));
await closed;
check('the client has nothing to complain of', complaints.length === 0 ? undefined : complaints.join(' | '));

check('the cancellation reached the server', target.record().includes('notifications/cancelled') ? undefined : 'it did not');
finish();
