import { toHex } from '../util/bytes.js';
import { LOG_ID_SIZE } from './columns.js';

/** Place in the stream of events, between two events. */
export interface Cursor {
  /** Id of the log. */
  readonly log: string;
  /** Number of the block in the log whose events come next, or that is followed by passing events. */
  readonly block: number;
  /** Events of that block that are already seen. */
  readonly seen: number;
  /** Hex digits by which the last block with a seen event is recognised; zeros if it is not known. */
  readonly check: string;
  /** Number of the last passing event that is seen; 0 for none. Only within the run of the node that `run` names. */
  readonly passing: number;
  /** Hex digits. */
  readonly run: string;
}

/** Length of the id of a run. */
export const RUN_SIZE = 4;
/** Length of the check. */
export const CHECK_SIZE = 6;
const NUMBER_SIZE = 6;
const RUN_AT = LOG_ID_SIZE + 3 * NUMBER_SIZE;
const CHECK_AT = RUN_AT + RUN_SIZE;

/** Text of a cursor for clients, to whom it means nothing. */
export function formatCursor({ log, block, seen, check, passing, run }: Cursor): string {
  const bytes = Buffer.alloc(CHECK_AT + CHECK_SIZE);
  bytes.write(log, 0, 'hex');
  [block, seen, passing].forEach((value, i) => {
    bytes.writeUIntBE(value, LOG_ID_SIZE + i * NUMBER_SIZE, NUMBER_SIZE);
  });
  bytes.write(run, RUN_AT, 'hex');
  bytes.write(check, CHECK_AT, 'hex');
  return bytes.toString('base64url');
}

/** @returns undefined for a text that is no cursor */
export function parseCursor(text: string): Cursor | undefined {
  if (!/^[\w-]{48}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const [block, seen, passing] = [0, 1, 2].map((i) => bytes.readUIntBE(LOG_ID_SIZE + i * NUMBER_SIZE, NUMBER_SIZE)) as [
    number,
    number,
    number,
  ];
  const [run, check] = [toHex(bytes.subarray(RUN_AT, CHECK_AT)), toHex(bytes.subarray(CHECK_AT))];
  return { log: toHex(bytes.subarray(0, LOG_ID_SIZE)), block, seen, check, passing, run };
}
