import { compareWithEcho } from './http/compare.js';

const SIGNATURE = `3045022100${'3b'.repeat(32)}0220${'2a'.repeat(32)}01`;
const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const PREVOUT = `${'22'.repeat(32)}00000000`;
const OUTPUTS = `0200e1f505000000001976a914${'5b'.repeat(20)}88ac0000c2eb0b0000000017a914${'6c'.repeat(20)}8707`;

/** One input with a signature and a key, two outputs; the second with both in the witness. */
const TRANSACTIONS = {
  legacy: `0400000001${PREVOUT}6b48${SIGNATURE}21${KEY}feffffff${OUTPUTS}00000000`,
  segwit: `04000000000101${PREVOUT}00feffffff${OUTPUTS}0248${SIGNATURE}21${KEY}00000000`,
};

/** Calls that decode a transaction of common size. */
export async function run(): Promise<void> {
  for (const [name, hex] of Object.entries(TRANSACTIONS)) {
    const body = `{"jsonrpc":"1.0","id":1,"method":"decoderawtransaction","params":["${hex}"]}`;
    await compareWithEcho({ label: `decoderawtransaction, ${name}`, body, target: 0.4 });
  }
}
