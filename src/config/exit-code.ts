import { isDiskFull } from '../util/disk.js';

/** Exit codes of the daemon; a supervisor can decide by them whether a restart makes sense. */
export const EXIT = { clean: 0, failed: 1, taken: 2, newerData: 3, damagedData: 4, foreignData: 5, diskFull: 6 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failed start as reported to the operator. */
export interface Failure {
  readonly code: ExitCode;
  /** One line, printed after `Error: ` on standard error. */
  readonly line: string;
  /** True if the line is sufficient, without stack trace in the log. */
  readonly expected: boolean;
}

/** Error codes of `node:net` for an address or port that is not available. */
const LISTEN_FAULTS = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES']);

/** System calls that fail with them; a file that this user must not open has EACCES too. */
const LISTEN_CALLS = new Set(['listen', 'bind']);

/** Error codes of files that this user must not read or write. */
const FORBIDDEN = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Advice for damage whose message has none. A message that names `-reindex` alone is about block files, which the other flag does not repair. */
const REPAIR = 'Please restart with -reindex or -reindex-chainstate to recover.';

/**
 * Exit code and message of a failed start or command. Errors are distinguished by name, because main must not load the modules that throw them.
 * @param effect of a full disk, as a clause
 */
export function failureOf(error: unknown, effect = 'The node is not running'): Failure {
  if (!(error instanceof Error)) return { code: EXIT.failed, line: String(error), expected: false };
  const line = error.message.replace(/\s*\n\s*/g, ' ').trim();
  // Whatever could not be written is named: most steps of a start write something.
  if (isDiskFull(error))
    return { code: EXIT.diskFull, line: `${effect}, because the disk is full: ${roomless(error, line)}`, expected: true };
  switch (error.name) {
    case 'ConfigError':
      return { code: EXIT.failed, line, expected: true };
    case 'DirectoryLocked':
    case 'StoreLocked':
    case 'CannotListen':
      return { code: EXIT.taken, line, expected: true };
    // Texts for the operator, of wallets above all.
    case 'NodeError':
    case 'BadWalletPath':
      return { code: EXIT.failed, line, expected: true };
    case 'CannotPublish':
      return { code: LISTEN_FAULTS.has(codeOf(error.cause)) ? EXIT.taken : EXIT.failed, line, expected: true };
    case 'NewerVersion':
      return { code: EXIT.newerData, line, expected: true };
    case 'ForeignData':
      return { code: EXIT.foreignData, line, expected: true };
    case 'StoreDamaged':
      return { code: EXIT.damagedData, line: line.includes('-reindex') ? line : `${line}. ${REPAIR}`, expected: true };
  }
  if (!LISTEN_FAULTS.has(codeOf(error)) || !('syscall' in error && LISTEN_CALLS.has(String(error.syscall)))) {
    const forbidden = FORBIDDEN.has(codeOf(error));
    return { code: EXIT.failed, line: forbidden ? `${line}; check permissions.` : line, expected: forbidden };
  }
  const hint = codeOf(error) === 'EADDRINUSE' ? '. DeFi Blockchain is probably already running' : '';
  return { code: EXIT.taken, line: `Unable to bind: ${line}${hint} (-port, -bind).`, expected: true };
}

/** Text about the lack of room. The message of a running node says that block processing is halted, as if the node kept running. */
function roomless(error: Error, line: string): string {
  return error.name === 'DiskFull' && 'directory' in error ? `there is no room in ${error.directory}` : line;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
