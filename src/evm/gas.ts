/** Costs of the Shanghai rules. @see docs/protocol/evm-engine.md 2.2 */
export const Gas = {
  transaction: 21000,
  creationTransaction: 53000,
  zeroByte: 4,
  otherByte: 16,
  accessListAddress: 2400,
  accessListKey: 1900,
  warm: 100,
  coldAccount: 2600,
  coldSlot: 2100,
  slotSet: 20000,
  slotReset: 2900,
  slotClearRefund: 4800,
  slotRestoreSetRefund: 19900,
  slotRestoreRefund: 2800,
  /** SSTORE needs more than this left. */
  slotMinimum: 2300,
  selfDestruct: 5000,
  newAccount: 25000,
  callValue: 9000,
  stipend: 2300,
  create: 32000,
  hashWord: 6,
  initCodeWord: 2,
  codeByte: 200,
  expByte: 50,
  copyWord: 3,
  logTopic: 375,
  logByte: 8,
  memoryWord: 3,
} as const;

/** Divisor of the used gas that may be refunded. */
export const REFUND_QUOTIENT = 5;
/** Largest code of a contract, bytes. */
export const MAX_CODE_SIZE = 24576;
/** Largest init code of a contract, bytes. */
export const MAX_INIT_CODE_SIZE = 49152;
/** Deepest frame; the first one is 0. */
export const MAX_DEPTH = 1024;

const WORD_SIZE = 32;

/** Words that hold so many bytes. */
export function wordCount(bytes: number): number {
  return Math.ceil(bytes / WORD_SIZE);
}
