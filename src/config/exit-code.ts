/** Exit codes of the daemon, so that what starts it knows whether to try again. */
export const EXIT = { clean: 0, failed: 1, taken: 2, newerData: 3, damagedData: 4 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface Failure {
  readonly code: ExitCode;
  /** What follows `Error: ` on standard error: one line. */
  readonly line: string;
  /** True where the line says all: no trace is needed in the log. */
  readonly expected: boolean;
}

/** Codes of node:net where an address or port cannot be had. */
const LISTEN_FAULTS = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES']);

/** What a failed start means to the operator. Errors are told apart by name, since main must not load the modules that throw them. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { code: EXIT.failed, line: String(error), expected: false };
  const line = error.message.replace(/\s*\n\s*/g, ' ').trim();
  switch (error.name) {
    case 'ConfigError':
      return { code: EXIT.failed, line, expected: true };
    case 'DirectoryLocked':
    case 'StoreLocked':
    case 'CannotListen':
      return { code: EXIT.taken, line, expected: true };
    case 'NewerVersion':
      return { code: EXIT.newerData, line, expected: true };
    case 'StoreDamaged':
      return { code: EXIT.damagedData, line: `${line}. Please restart with -reindex or -reindex-chainstate to recover.`, expected: true };
  }
  return LISTEN_FAULTS.has(codeOf(error)) && 'syscall' in error
    ? { code: EXIT.taken, line: `Unable to bind: ${line}. DeFi Blockchain is probably already running.`, expected: true }
    : { code: EXIT.failed, line, expected: false };
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
