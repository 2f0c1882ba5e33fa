import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NULL_OUTPOINT } from '../../../src/primitives/outpoint.js';
import { makeTransaction } from '../../../src/primitives/transaction.js';
import { TransactionChecker } from '../../../src/script/checker.js';
import { flagsOf, type VerifyFlagName } from '../../../src/script/flags.js';
import { ScriptError } from '../../../src/script/script-error.js';
import { verifyScript } from '../../../src/script/verify.js';
import { EMPTY_BYTES, fromHex } from '../../../src/util/bytes.js';
import { projectRoot } from '../../shared.js';
import { parseAsm } from './parse-asm.js';

type Row = (string | (string | number)[])[];
const format = { tokenIds: true };

const rows = JSON.parse(readFileSync(join(projectRoot, 'test/vectors/script_tests.json'), 'utf8')) as Row[];

function run(row: Row): string {
  const withWitness = Array.isArray(row[0]);
  const stack = withWitness ? (row[0] as (string | number)[]) : [];
  const [scriptSigText, scriptPubKeyText, flagsText] = (withWitness ? row.slice(1) : row) as string[];
  const value = BigInt(Math.round(Number(stack[stack.length - 1] ?? 0) * 1e8));
  const witness = stack.slice(0, -1).map((item) => fromHex(item as string));
  const scriptSig = parseAsm(scriptSigText as string);
  const scriptPubKey = parseAsm(scriptPubKeyText as string);
  const credit = makeTransaction(
    {
      version: 1,
      vin: [{ prevout: NULL_OUTPOINT, scriptSig: Uint8Array.of(0, 0), sequence: 0xffffffff, witness: [] }],
      vout: [{ value, scriptPubKey, tokenId: 0 }],
      lockTime: 0,
    },
    format,
  );
  const spend = {
    version: 1,
    vin: [{ prevout: { txid: credit.txid, vout: 0 }, scriptSig, sequence: 0xffffffff, witness }],
    vout: [{ value, scriptPubKey: EMPTY_BYTES, tokenId: 0 }],
    lockTime: 0,
  };
  let flags = flagsOf(...((flagsText as string).split(',').filter((name) => name !== '' && name !== 'NONE') as VerifyFlagName[]));
  // Some rows set CLEANSTACK alone, which needs the rules that clean stacks depend on.
  if ((flags & flagsOf('CLEANSTACK')) !== 0) flags |= flagsOf('P2SH', 'WITNESS');
  if ((flags & flagsOf('WITNESS')) !== 0) flags |= flagsOf('P2SH');
  try {
    verifyScript({ scriptSig, scriptPubKey, witness }, flags, new TransactionChecker(spend, format, 0, value));
    return 'OK';
  } catch (error) {
    if (error instanceof ScriptError) return error.kind;
    throw error;
  }
}

test('script_tests.json: every row has its outcome', () => {
  let checked = 0;
  const wrong: string[] = [];
  for (const row of rows) {
    if (row.length <= 3) continue; // a comment
    checked += 1;
    const expected = row[Array.isArray(row[0]) ? 4 : 3];
    const got = run(row);
    if (got !== expected) wrong.push(`${got} instead of ${expected}: ${JSON.stringify(row).slice(0, 300)}`);
  }
  console.log(`${checked} rows of script_tests.json`);
  assert.deepEqual(wrong, []);
  assert.ok(checked > 1000);
});
