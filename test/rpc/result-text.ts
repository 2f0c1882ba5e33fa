import type { Operation } from '../../src/rpc/catalogue.js';
import type { WriteDialect } from '../../src/rpc/write.js';

/** JSON text of a response, written in one turn of the event loop. */
export function resultText(op: Operation, response: unknown, dialect: WriteDialect = 'json-rpc'): string {
  const written = op.codec.write(response, undefined, dialect);
  if (written instanceof Promise) throw new Error('an answer without a call was written in slices');
  return typeof written === 'string' ? written : Buffer.concat(written).toString();
}
