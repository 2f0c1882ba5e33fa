import type { Body } from './reply.js';

/** Begins the members after `vout`; in texts of other members the quotes would be escaped. */
const HEX = Buffer.from(',"hex":"');

/**
 * A transaction with the members of the REST interface of `defid`: after `vout` follow only the block hash, if any, and the hex. The text is cut
 * and not parsed, which would take seconds for the largest transactions.
 * @param answer of a verbose `getrawtransaction` that names no block
 * @throws {TypeError} if it is anything else
 */
export function restTransaction(answer: Body): Body {
  if (typeof answer === 'string') {
    const start = requireFound(answer.lastIndexOf(HEX.toString()));
    return answer.slice(0, start) + reordered(answer.slice(start));
  }
  const { index, start } = lastHex(answer);
  const cut = answer[index] as Uint8Array;
  const tail = Buffer.concat([cut.subarray(start), ...answer.slice(index + 1)]);
  return [...answer.slice(0, index), cut.subarray(0, start), Buffer.from(reordered(tail.toString('latin1')), 'latin1')];
}

/** Finds the last mark, which may continue in the next piece. */
function lastHex(pieces: readonly Uint8Array[]): { readonly index: number; readonly start: number } {
  let next: Uint8Array = Buffer.alloc(0);
  for (let index = pieces.length - 1; index >= 0; index--) {
    const piece = Buffer.concat([pieces[index] as Uint8Array, next]);
    const start = piece.lastIndexOf(HEX);
    if (start >= 0) return { index, start };
    next = piece.subarray(0, HEX.length - 1);
  }
  throw unexpected();
}

/** @param tail text from the mark on */
function reordered(tail: string): string {
  const end = requireFound(tail.indexOf('"', HEX.length)) + 1;
  const blockHash = /,"blockhash":"[0-9a-f]{64}"/.exec(tail.slice(end))?.[0] ?? '';
  return `${blockHash}${tail.slice(0, end)}}`;
}

function requireFound(index: number): number {
  if (index < 0) throw unexpected();
  return index;
}

function unexpected(): TypeError {
  return new TypeError('an operation answered in an unexpected form');
}
