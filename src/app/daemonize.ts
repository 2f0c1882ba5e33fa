import { spawn } from 'node:child_process';
import { PACKAGE_NAME } from '../version.js';

/** Result of the start, sent by the background process to the foreground process. */
export type StartReport = { readonly ready: true } | { readonly ready: false; readonly line: string; readonly code: number };

/**
 * Starts this program again, detached from the terminal.
 * @param wait wait until the background process has started or failed
 * @returns exit code of the foreground process
 */
export async function startInBackground(argv: readonly string[], wait: boolean): Promise<number> {
  const [script = ''] = process.argv.slice(1);
  const own = ['-daemon=0', '-daemonwait=0', '-printtoconsole=0']; // the last value of an option applies
  const child = spawn(process.execPath, [...process.execArgv, script, ...argv, ...own], {
    detached: true,
    stdio: wait ? ['ignore', 'ignore', 'ignore', 'ipc'] : 'ignore',
  });
  process.stdout.write(`${PACKAGE_NAME} starting\n`);
  const report = wait ? await firstReport(child) : ({ ready: true } as const);
  child.unref();
  if (report.ready) return 0;
  process.stderr.write(`Error: ${report.line}\n`);
  return report.code;
}

function firstReport(child: ReturnType<typeof spawn>): Promise<StartReport> {
  return new Promise((resolve) => {
    child.once('message', (message) => {
      child.disconnect();
      resolve(message as StartReport);
    });
    child.once('error', (error) => resolve({ ready: false, line: error.message, code: 1 }));
    child.once('exit', (code) => resolve({ ready: false, line: 'background process exited', code: code ?? 1 }));
  });
}

/** Sends the result of the start to the foreground process, if it waits. */
export function reportStart(report: StartReport): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send || !process.connected) resolve();
    else process.send(report, () => resolve());
  });
}
