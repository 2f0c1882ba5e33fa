import { toHex } from './bytes.js';

const SECRET = /pass(word|phrase)?$|secret|priv(ate)?_?key|^(wif|seed|mnemonic|cookie|authorization|rpcauth|token|bearer)$/i;
const MAX_DEPTH = 5;

/** Text that replaces a secret in logs and listings. */
export const MASK = '[hidden]';

/** True for a key whose value is secret and must not be printed. */
function isSecretKey(key: string): boolean {
  return SECRET.test(key);
}

/** A copy for a log line: secrets masked by key, bytes as hex, bigints as text, errors as type and message. */
export function printable(fields: object): Record<string, unknown> {
  return printableObject(fields, 0);
}

function printableObject(value: object, depth: number): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) out[key] = isSecretKey(key) ? MASK : printableValue(member, depth + 1);
  return out;
}

function printableValue(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return toHex(value);
  if (value instanceof Error) return printableError(value, depth);
  if (depth >= MAX_DEPTH) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => printableValue(item, depth + 1));
  return printableObject(value, depth);
}

/** Expected errors, which have a kind, code or reason, are logged without stack trace; unexpected ones with it. */
function printableError(error: Error, depth: number): Record<string, unknown> {
  const expected = 'kind' in error || 'code' in error || 'reason' in error;
  return {
    type: error.name,
    message: error.message,
    ...(expected ? {} : { stack: error.stack }),
    ...(error.cause === undefined || depth >= MAX_DEPTH ? {} : { cause: printableValue(error.cause, depth + 1) }),
  };
}
