import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignatureChecker, SignatureQuery } from '../../../src/script/checker.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript, pushData } from '../../../src/script/script.js';
import { legacySignatureHash } from '../../../src/script/sighash.js';
import { runScripts } from '../../../src/script/verify.js';
import { concatBytes } from '../../../src/util/bytes.js';

const SIGNATURE = new Uint8Array(71).fill(0x30);
const KEY = new Uint8Array(33).fill(2);

/** Script code that a signature of the output script is checked with. */
function scriptCodeOf(scriptPubKey: Uint8Array): Uint8Array {
  let code: Uint8Array | undefined;
  const checkSignature = ({ scriptCode }: SignatureQuery): boolean => {
    code = scriptCode;
    return true;
  };
  const checker: SignatureChecker = { checkSignature, checkLockTime: () => true, checkSequence: () => true };
  runScripts({ scriptSig: buildScript(SIGNATURE, KEY), witness: [], scriptPubKey }, 0, checker);
  assert.ok(code);
  return code;
}

const push = pushData(SIGNATURE);
const skipped = (...parts: readonly Uint8Array[]) =>
  concatBytes(Uint8Array.of(Op.ZERO, Op.IF), ...parts, Uint8Array.of(Op.ENDIF, Op.CHECKSIG));

test('pushes of the signature are removed from the script code, one after the other, but not from within other pushes', () => {
  const hidden = pushData(concatBytes(Uint8Array.of(1), push));
  const one = Uint8Array.of(Op.ONE);
  assert.deepEqual(new Uint8Array(scriptCodeOf(skipped(push, push, one, push, hidden))), new Uint8Array(skipped(one, hidden)));
  assert.deepEqual(new Uint8Array(scriptCodeOf(skipped(one, hidden))), new Uint8Array(skipped(one, hidden)));
});

/** Counts its parts, which parts of parts count too. */
class CountedBytes extends Uint8Array {
  static parts = 0;

  override subarray(begin?: number, end?: number): Uint8Array<ArrayBuffer> {
    CountedBytes.parts += 1;
    return super.subarray(begin, end) as Uint8Array<ArrayBuffer>;
  }
}

test('long scripts are not divided into operations for each signature', () => {
  const checks = Array.from({ length: 60 }, () => Uint8Array.of(Op.TWO_DUP, Op.CHECKSIGVERIFY));
  const long = concatBytes(Uint8Array.of(Op.ZERO, Op.IF), new Uint8Array(9_000).fill(Op.ONE), Uint8Array.of(Op.ENDIF), ...checks);
  CountedBytes.parts = 0;
  const checker: SignatureChecker = { checkSignature: () => true, checkLockTime: () => true, checkSequence: () => true };
  runScripts({ scriptSig: buildScript(SIGNATURE, KEY), witness: [], scriptPubKey: new CountedBytes(long) }, 0, checker);
  assert.ok(CountedBytes.parts >= 60 && CountedBytes.parts < 200, String(CountedBytes.parts));
});

test('code separators are left out of the hash, wherever they are', () => {
  const tx = { version: 2, vin: [{ prevout: { txid: new Uint8Array(32), vout: 0 }, scriptSig: push, sequence: 0, witness: [] }] };
  const hashOf = (script: Uint8Array) =>
    legacySignatureHash({ tx: { ...tx, vout: [], lockTime: 0 }, format: { tokenIds: true }, input: 0 }, script, 1);
  const data = pushData(Uint8Array.of(Op.CODESEPARATOR, Op.CODESEPARATOR));
  const bare = concatBytes(Uint8Array.of(Op.ONE), data, Uint8Array.of(Op.TWO_DROP));
  const separator = Uint8Array.of(Op.CODESEPARATOR);
  const separated = concatBytes(separator, separator, bare.subarray(0, 1), separator, bare.subarray(1), separator);
  assert.deepEqual(hashOf(separated), hashOf(bare));
  assert.notDeepEqual(hashOf(bare), hashOf(concatBytes(Uint8Array.of(Op.ONE), pushData(separator), Uint8Array.of(Op.TWO_DROP))));
});
