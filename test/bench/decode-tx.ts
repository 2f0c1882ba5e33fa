import { compareWithEcho } from './http/compare.js';

/** One input with a signature and a key, two outputs. */
const TX = [
  `0400000001${'22'.repeat(32)}00000000`,
  `6b483045022100${'3b'.repeat(32)}0220${'2a'.repeat(32)}01210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798`,
  'feffffff02',
  `00e1f505000000001976a914${'5b'.repeat(20)}88ac00`,
  `00c2eb0b0000000017a914${'6c'.repeat(20)}8707`,
  '00000000',
].join('');
const BODY = `{"jsonrpc":"1.0","id":1,"method":"decoderawtransaction","params":["${TX}"]}`;

/** A call that decodes a transaction of common size. */
export function run(): Promise<void> {
  return compareWithEcho({ label: `decoderawtransaction, ${TX.length / 2} bytes`, body: BODY, target: 0.4 });
}
