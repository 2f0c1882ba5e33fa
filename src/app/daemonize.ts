import { spawn } from 'node:child_process';
import { PACKAGE_NAME } from '../version.js';

/** What the process in the background tells the one that started it. */
export type StartReport = { readonly ready: true } | { readonly ready: false; readonly line: string; readonly code: number };

/**
 * Starts this program again, detached from the terminal.
 * @param wait stay until it reports that it runs, or why not
 * @returns the exit code for the process in the foreground
 */
export async function startInBackground(argv: readonly string[], wait: boolean): Promise<number> {
  const [script = ''] = process.argv.slice(1);
  const own = ['-daemon=0', '-daemonwait=0', '-printtoconsole=0']; // later flags win
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
    child.once('exit', (code) => resolve({ ready: false, line: 'the process in the background ended', code: code ?? 1 }));
  });
}

/** Tells the waiting process, if there is one, how the start went. */
export function reportStart(report: StartReport): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send || !process.connected) resolve();
    else process.send(report, () => resolve());
  });
}
