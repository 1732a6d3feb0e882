// What the two Node scripts share: the plan, the count of checks, the server's command and its end.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const plan = JSON.parse(readFileSync(process.env.PLAN, 'utf8'));
export const SETTLE_MS = 500;
const work = process.env.CLIENTS;
let passed = 0;
let failed = 0;

export function check(what, complaint) {
  if (complaint) failed++;
  else passed++;
  console.log(complaint ? `FAIL ${what}: ${String(complaint).slice(0, 400)}` : `ok   ${what}`);
}

export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

// A shell writes its process number down and becomes the server, so that every client starts the real thing.
export function server(name) {
  const stem = join(work, 'runs', `${name}-${process.pid}`);
  const script = 'echo $$ >"$0.pid"; exec "$1" --record "$0-$$.record" "$2"';
  const pid = () => Number(readFileSync(`${stem}.pid`, 'utf8'));
  const record = () => `${stem}-${pid()}.record`;
  return {
    command: 'sh',
    args: ['-c', script, stem, process.env.FILEWRIGHT, join(work, 'files')],
    pid,
    started: () => existsSync(`${stem}.pid`) && existsSync(record()),
    record: () => readFileSync(record(), 'utf8')
  };
}

// What is wrong with an answer, or nothing.
export function complaint(call, result) {
  const text = (result?.content ?? []).map((block) => block.text).join('\n');
  if (Boolean(result?.isError) !== Boolean(call.fails)) return `isError is ${result?.isError}: ${text}`;
  for (const part of call.says ?? []) if (!text.includes(part)) return `${JSON.stringify(part)} is not in ${JSON.stringify(text)}`;
  for (const [key, value] of Object.entries(call.structured ?? {}))
    if (result.structuredContent?.[key] !== value) return `structuredContent.${key} is ${result.structuredContent?.[key]}`;
  return undefined;
}

// Milliseconds until the process is gone, from `since` on.
export async function gone(pid, since) {
  while (performance.now() - since < 5000) {
    if (hasEnded(pid)) return performance.now() - since;
    await sleep(5);
  }
  return Infinity;
}

// One that has ended stays in the table of processes until its parent looks, who may be an init in no hurry.
function hasEnded(pid) {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch (error) {
    return error.code === 'ESRCH' || error.code === 'ENOENT' && existsSync('/proc/self/stat');
  }
}

export function checkGone(milliseconds) {
  check(`the process is gone within a second (${Math.round(milliseconds)} ms)`, milliseconds <= 1000 ? undefined : 'it is not');
}
