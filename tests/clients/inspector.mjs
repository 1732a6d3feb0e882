// The Inspector's command line: one process for each question.
//   node inspector.mjs legacy|modern
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { check, checkGone, complaint, finish, gone, plan, server } from './common.mjs';

const era = process.argv[2];
const CALL_FAILED = 5;
const launcher = join(process.env.CLIENTS, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

function start(target, questions) {
  const options = ['--cli', '--protocol-era', era, '--format', 'json', '-q', ...questions];
  const env = { ...process.env, MCP_AUTO_OPEN_ENABLED: 'false' };
  return spawn(process.execPath, [launcher, ...options, '--', target.command, ...target.args], { env });
}

async function ask(...questions) {
  const child = start(server(`inspector-${era}`), questions);
  let said = '';
  let complained = '';
  child.stdout.on('data', (piece) => (said += piece));
  child.stderr.on('data', (piece) => (complained += piece));
  const status = await new Promise((resolve) => child.on('close', resolve));
  let result;
  try {
    result = JSON.parse(said).result;
  } catch {
    // An answer that is no JSON has no result, and that is what gets reported.
  }
  return { status, result, complained };
}

const called = (call) => ['--method', 'tools/call', '--tool-name', call.tool, '--tool-args-json', JSON.stringify(call.arguments)];

const hello = await ask('--method', 'initialize');
check(`connect: ${hello.result?.protocolVersion}`, hello.result?.serverInfo?.name === 'filewright' ? undefined : hello.complained || 'no result');
const modern = hello.result?.protocolVersion === '2026-07-28';
check('the revision belongs to the era', modern === (era === 'modern') ? undefined : hello.result?.protocolVersion);

const listed = await ask('--method', 'tools/list', '--strict');
const names = (listed.result?.tools ?? []).map((tool) => tool.name);
check('tools/list --strict', listed.status === 0 && String(names) === String(plan.tools) ? undefined : `${names} ${listed.complained}`);

for (const call of plan.calls) {
  const { status, result, complained } = await ask(...called(call));
  const wanted = call.fails ? CALL_FAILED : 0;
  check(`${call.tool} ${JSON.stringify(call.arguments)}`, status === wanted ? complaint(call, result) : `status ${status}: ${complained}`);
}
const unknown = await ask(...called({ tool: 'no_such_tool', arguments: {} }));
check('an unknown tool is refused', unknown.status === CALL_FAILED ? undefined : `status ${unknown.status}`);

const load = await ask(...called(plan.many), '--load', '--load-requests', '100', '--load-concurrency', '100');
check('100 calls at once', load.result?.ok === 100 ? undefined : JSON.stringify(load.result) + load.complained);

// The command line has no cancellation: it is killed in the middle of a call instead.
const target = server(`inspector-${era}-killed`);
start(target, called(plan.slow)).unref();
while (!target.started()) await sleep(10);
while (!target.record().includes('tools/call')) await sleep(10);
const parent = spawnSync('ps', ['-o', 'ppid=', '-p', String(target.pid())], { encoding: 'utf8' }).stdout.trim();
const since = performance.now();
process.kill(Number(parent), 'SIGKILL');
checkGone(await gone(target.pid(), since));
finish();
