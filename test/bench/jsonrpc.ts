import { compareWithEcho } from './http/compare.js';

const BODY = '{"jsonrpc":"1.0","id":1,"method":"getblockcount","params":[]}';

/** Minimum cost of a call. */
export function run(): Promise<void> {
  return compareWithEcho({ label: 'JSON-RPC getblockcount', body: BODY, target: 0.6 });
}
