import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockScriptFlags } from '../../../src/consensus/script-flags.js';
import { publicKeyOf, signCompact } from '../../../src/crypto/ecdsa.js';
import { keccak256 } from '../../../src/crypto/keccak.js';
import { networkParams } from '../../../src/params/index.js';
import { type SignatureChecker, TransactionChecker } from '../../../src/script/checker.js';
import { flagsOf, VerifyFlag } from '../../../src/script/flags.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { ScriptError } from '../../../src/script/script-error.js';
import { WitnessHashes, witnessSignatureHash } from '../../../src/script/sighash.js';
import { verifyScript } from '../../../src/script/verify.js';
import { concatBytes, EMPTY_BYTES, fromHex, reverseBytes } from '../../../src/util/bytes.js';
import { encodeDer } from '../crypto/der.js';

const secret = concatBytes(new Uint8Array(31), Uint8Array.of(1));
/** Address of the secret 1, as computed by Ethereum tools. */
const address = fromHex('7e5f4552091a69125d5dfcb7b8c2659029395bdf');
const program = reverseBytes(address);
const uncompressed = publicKeyOf(secret, false);
const flags = flagsOf('P2SH', 'WITNESS', 'METACHAIN');
const no: SignatureChecker = { checkSignature: () => false, checkLockTime: () => false, checkSequence: () => false };

const format = { tokenIds: true };
const scriptPubKey = buildScript(Op.SIXTEEN, program);
const value = 5_000n;
const tx = {
  version: 4,
  vin: [{ prevout: { txid: new Uint8Array(32).fill(3), vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] }],
  vout: [{ value: 4_000n, scriptPubKey: Uint8Array.of(Op.ONE), tokenId: 0 }],
  lockTime: 0,
};
const scriptCode = buildScript(Op.DUP, Op.KECCAK, program, Op.EQUALVERIFY, Op.CHECKSIG);
const hash = witnessSignatureHash(new WitnessHashes(tx, format), 0, { scriptCode, value, hashType: 1 });
const signature = concatBytes(encodeDer(signCompact(hash, secret)), Uint8Array.of(1));

function outcome(
  witness: readonly Uint8Array[],
  script = scriptPubKey,
  with_ = flags,
  checker: SignatureChecker = new TransactionChecker(tx, format, 0, value),
): string {
  try {
    verifyScript({ scriptSig: EMPTY_BYTES, witness, scriptPubKey: script }, with_, checker);
    return 'OK';
  } catch (error) {
    if (error instanceof ScriptError) return error.kind;
    throw error;
  }
}

test('OP_KECCAK gives the id of a key, backwards', () => {
  const script = concatBytes(buildScript(uncompressed), Uint8Array.of(Op.KECCAK), buildScript(program), Uint8Array.of(Op.EQUAL));
  assert.equal(outcome([], script, flags, no), 'OK');
  assert.equal(outcome([], script, flagsOf('P2SH', 'WITNESS'), no), 'BAD_OPCODE');
});

test('OP_KECCAK of nothing fails', () => assert.equal(outcome([], Uint8Array.of(Op.ZERO, Op.KECCAK), flags, no), 'UNKNOWN_ERROR'));

test('a witness program of version 16 requires a signature of the key', () => {
  assert.equal(outcome([signature, uncompressed]), 'OK');
  assert.equal(outcome([signature, publicKeyOf(new Uint8Array(32).fill(2), false)]), 'EQUALVERIFY');
  assert.equal(outcome([concatBytes(signature.subarray(0, -1), Uint8Array.of(3)), uncompressed]), 'EVAL_FALSE');
  assert.equal(outcome([signature]), 'WITNESS_PROGRAM_MISMATCH');
  assert.equal(outcome([signature, uncompressed], buildScript(Op.SIXTEEN, new Uint8Array(32).fill(1))), 'WITNESS_PROGRAM_WRONG_LENGTH');
});

test('before the Metachain height anyone can spend it, as any unknown version', () => {
  assert.equal(outcome([], scriptPubKey, flagsOf('P2SH', 'WITNESS')), 'OK');
});

test('policy: a compressed key is rejected there', () => {
  const compressed = publicKeyOf(secret, true);
  const own = buildScript(Op.SIXTEEN, reverseBytes(keccak256(compressed.subarray(1)).subarray(-20)));
  const yes: SignatureChecker = { ...no, checkSignature: () => true };
  assert.equal(outcome([signature, compressed], own, flags, yes), 'OK');
  assert.equal(outcome([signature, compressed], own, flags | VerifyFlag.WITNESS_PUBKEYTYPE, yes), 'WITNESS_PUBKEYTYPE_ETH');
});

test('blockScriptFlags: from the Metachain height on', () => {
  const params = networkParams({ network: 'regtest', upgradeHeights: { metachain: 10 } });
  assert.equal(blockScriptFlags(9, params) & VerifyFlag.METACHAIN, 0);
  assert.notEqual(blockScriptFlags(10, params) & VerifyFlag.METACHAIN, 0);
});
