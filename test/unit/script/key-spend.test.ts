import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../../src/crypto/hash.js';
import { makeTransaction, type TxOut } from '../../../src/primitives/transaction.js';
import { type Destination, scriptOf } from '../../../src/script/address.js';
import { TransactionChecker } from '../../../src/script/checker.js';
import { STANDARD_FLAGS, VerifyFlag } from '../../../src/script/flags.js';
import { KeyStore } from '../../../src/script/key-source.js';
import { isValidKeySpend } from '../../../src/script/key-spend.js';
import { buildScript } from '../../../src/script/script.js';
import { ScriptError } from '../../../src/script/script-error.js';
import { signInputs } from '../../../src/script/sign-inputs.js';
import { SIGHASH_ALL } from '../../../src/script/signature-encoding.js';
import { runScripts, type Spend } from '../../../src/script/verify.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

const format = { tokenIds: true };
const BLOCK_FLAGS = VerifyFlag.P2SH | VerifyFlag.WITNESS | VerifyFlag.DERSIG;
const FLAG_SETS = [0, VerifyFlag.P2SH, VerifyFlag.WITNESS | VerifyFlag.P2SH, BLOCK_FLAGS, STANDARD_FLAGS];

const secret = sha256(Uint8Array.of(7));
const keys = new KeyStore();
keys.addKey({ secret, compressed: true });
const keyHash = hash160(publicKeyOf(secret));
const nested = buildScript(0, keyHash);
const destinations: Readonly<Record<'P2PKH' | 'P2WPKH' | 'P2SH-P2WPKH', Destination>> = {
  P2PKH: { type: 'pkh', hash: keyHash },
  P2WPKH: { type: 'wpkh', hash: keyHash },
  'P2SH-P2WPKH': { type: 'sh', hash: hash160(nested) },
};

interface Case {
  readonly spend: Spend;
  readonly checker: TransactionChecker;
}

function signed(destination: Destination, hashType = SIGHASH_ALL): Case {
  const out: TxOut = { value: 5_000n, scriptPubKey: scriptOf(destination), tokenId: 0 };
  const vin = [{ prevout: { txid: new Uint8Array(32).fill(3), vout: 1 }, scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] }];
  const fields = { version: 4, vin, vout: [{ ...out, value: 4_000n }], lockTime: 0 };
  const { tx, faults } = signInputs(makeTransaction(fields, format), { format, keys, output: () => out, hashType });
  assert.deepEqual(faults, []);
  const { scriptSig = EMPTY_BYTES, witness = [] } = tx.vin[0] ?? {};
  return { spend: { scriptSig, witness, scriptPubKey: out.scriptPubKey }, checker: new TransactionChecker(tx, format, 0, out.value) };
}

function isValidByInterpreter({ spend, checker }: Case, flags: number): boolean {
  try {
    runScripts(spend, flags, checker);
    return true;
  } catch (error) {
    assert.ok(error instanceof ScriptError);
    return false;
  }
}

for (const [name, destination] of Object.entries(destinations)) {
  test(`${name}: a valid spend needs no interpreter`, () => {
    for (const flags of [BLOCK_FLAGS, STANDARD_FLAGS]) {
      const { spend, checker } = signed(destination);
      assert.ok(isValidKeySpend(spend, flags, checker));
      assert.ok(isValidByInterpreter({ spend, checker }, flags));
    }
  });

  test(`${name}: of a changed spend, whatever is accepted is accepted by the interpreter too`, () => {
    const original = signed(destination);
    const change = fc.record({
      part: fc.constantFrom('scriptSig', 'scriptPubKey', 'signature', 'key'),
      at: fc.nat(200),
      byte: fc.integer({ min: 1, max: 255 }),
      size: fc.integer({ min: -2, max: 2 }),
      flags: fc.constantFrom(...FLAG_SETS),
    });
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(change, { maxLength: 2 }), fc.constantFrom(...FLAG_SETS), (changes, flags) => {
        const { spend } = original;
        const parts = {
          scriptSig: spend.scriptSig,
          scriptPubKey: spend.scriptPubKey,
          signature: spend.witness.at(0),
          key: spend.witness.at(1),
        };
        for (const { part, at, byte, size } of changes) {
          const bytes = parts[part];
          if (!bytes?.length) continue;
          const changed = new Uint8Array(Math.max(0, bytes.length + size));
          changed.set(bytes.subarray(0, changed.length));
          if (changed.length > 0) changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ byte;
          parts[part] = changed;
        }
        const witness = [parts.signature, parts.key].filter((item) => item !== undefined);
        const each: Case = {
          spend: { scriptSig: parts.scriptSig, scriptPubKey: parts.scriptPubKey, witness },
          checker: original.checker,
        };
        if (!isValidKeySpend(each.spend, flags, each.checker)) return;
        accepted += 1;
        assert.ok(isValidByInterpreter(each, flags));
      }),
      { numRuns: 2_000 },
    );
    assert.ok(accepted > 0);
  });
}

test('a signature by another key, with a witness too many, or without its flag is left to the interpreter', () => {
  const { spend, checker } = signed(destinations.P2WPKH);
  const other = signed(destinations.P2WPKH);
  const foreign = publicKeyOf(sha256(Uint8Array.of(8)));
  assert.ok(!isValidKeySpend({ ...spend, witness: [spend.witness.at(0) ?? EMPTY_BYTES, foreign] }, BLOCK_FLAGS, checker));
  assert.ok(!isValidKeySpend({ ...spend, witness: [...spend.witness, EMPTY_BYTES] }, BLOCK_FLAGS, checker));
  assert.ok(!isValidKeySpend(spend, VerifyFlag.P2SH, checker));
  assert.ok(!isValidKeySpend({ ...spend, scriptSig: Uint8Array.of(0) }, BLOCK_FLAGS, checker));
  assert.ok(isValidKeySpend(other.spend, BLOCK_FLAGS, other.checker));
  const legacy = signed(destinations.P2PKH);
  assert.ok(!isValidKeySpend({ ...legacy.spend, witness: [EMPTY_BYTES] }, BLOCK_FLAGS, legacy.checker));
});
