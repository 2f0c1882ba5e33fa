import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TxInvalid } from '../../../src/consensus/errors.js';
import { checkTransaction } from '../../../src/consensus/transaction.js';
import { decode } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { type Transaction, transaction } from '../../../src/primitives/transaction.js';
import { TransactionChecker } from '../../../src/script/checker.js';
import { flagsOf, type VerifyFlagName, type VerifyFlags } from '../../../src/script/flags.js';
import { ScriptError } from '../../../src/script/script-error.js';
import { legacySignatureHash } from '../../../src/script/sighash.js';
import { verifyScript } from '../../../src/script/verify.js';
import { fromHex } from '../../../src/util/bytes.js';
import { projectRoot } from '../../shared.js';
import { parseAsm } from './parse-asm.js';

/** Bitcoin's transactions: outputs without token ids at any version. */
const format = { tokenIds: false };

function load(name: string): unknown[][] {
  return JSON.parse(readFileSync(join(projectRoot, 'test/vectors', name), 'utf8')) as unknown[][];
}

interface Case {
  readonly tx: Transaction;
  readonly flags: VerifyFlags;
  readonly spent: ReadonlyMap<string, { readonly scriptPubKey: Uint8Array; readonly value: bigint }>;
}

function caseOf(row: unknown[]): Case {
  const [inputs, hex, flagsText] = row as [[string, number, string, number?][], string, string];
  const names = flagsText.split(',').filter((name) => name !== '' && name !== 'NONE') as VerifyFlagName[];
  const spent = new Map(
    inputs.map(([txid, vout, script, value]) => [`${txid}:${vout >>> 0}`, { scriptPubKey: parseAsm(script), value: BigInt(value ?? 0) }]),
  );
  return { tx: decode(transaction(format), fromHex(hex)), flags: flagsOf(...names), spent };
}

function fails({ tx, flags, spent }: Case): boolean {
  try {
    checkTransaction(tx, { metachain: false });
    tx.vin.forEach(({ prevout, scriptSig, witness }, input) => {
      const found = spent.get(`${formatHash(prevout.txid)}:${prevout.vout}`);
      if (!found) throw new TxInvalid('bad-txns-inputs-missingorspent');
      const checker = new TransactionChecker(tx, format, input, found.value);
      verifyScript({ scriptSig, witness, scriptPubKey: found.scriptPubKey }, flags, checker);
    });
    return false;
  } catch (error) {
    if (error instanceof TxInvalid || error instanceof ScriptError) return true;
    throw error;
  }
}

for (const { file, expected } of [
  { file: 'tx_valid.json', expected: false },
  { file: 'tx_invalid.json', expected: true },
]) {
  test(`${file}: every row ${expected ? 'fails' : 'passes'}`, () => {
    const rows = load(file).filter((row) => row.length === 3);
    const wrong = rows.filter((row) => fails(caseOf(row)) !== expected).map((row) => JSON.stringify(row).slice(0, 400));
    console.log(`${rows.length} rows of ${file}`);
    assert.deepEqual(wrong, []);
    assert.ok(rows.length > 80);
  });
}

test('sighash.json: every legacy signature hash', () => {
  const rows = load('sighash.json').filter((row) => row.length === 5) as [string, string, number, number, string][];
  for (const [hex, script, input, hashType, expected] of rows) {
    const tx = decode(transaction(format), fromHex(hex));
    assert.equal(formatHash(legacySignatureHash({ tx, format, input }, fromHex(script), hashType)), expected);
  }
  console.log(`${rows.length} rows of sighash.json`);
  assert.equal(rows.length, 500);
});
