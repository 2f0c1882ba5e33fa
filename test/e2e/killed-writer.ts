import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * Runs a script of `fixtures/` and kills it some time after its first line, unless it has ended by itself.
 * @returns all that it printed
 */
export async function runAndKill(script: string, args: readonly string[], afterMs: number): Promise<string> {
  const path = fileURLToPath(new URL(`fixtures/${script}`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  // Listening before it can end: an event that was missed would never come.
  const closed = once(child, 'close');
  let output = '';
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('\n')) resolve();
    });
  });
  await Promise.race([begun, closed]);
  if (!output.includes('\n')) throw new Error(`${script} ended before its first line`);
  await Promise.race([setTimeout(afterMs), closed]);
  child.kill('SIGKILL');
  await closed;
  return output;
}
