import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf, signCompact } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { makeTransaction, type TxIn } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { erc55Script, evmAddressOf } from '../../../src/script/erc55.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { legacySignatureHash, WitnessHashes, witnessSignatureHash } from '../../../src/script/sighash.js';
import { concatBytes, EMPTY_BYTES, reverseBytes } from '../../../src/util/bytes.js';
import { encodeDer } from '../crypto/der.js';
import { DFI, output, PoolNode, type Settings } from './fixture.js';

/** Height of the second block above a new `PoolNode` of one coin: a test mines the block before, whose outputs it spends. */
const METACHAIN = 102;

const SECRET = new Uint8Array(32).fill(5);
const KEY = publicKeyOf(SECRET, false);
const ADDRESS = evmAddressOf(KEY) ?? assert.fail();
const KECCAK_SCRIPT = buildScript(Op.DUP, Op.KECCAK, reverseBytes(ADDRESS), Op.EQUALVERIFY, Op.CHECKSIG);
const NO_FEE_LIMIT = { absurdFee: 0n };

/** Signs the only input of a transaction, which spends one coin of `scriptPubKey`. */
type Sign = (hashes: { readonly legacy: Uint8Array; readonly witness: Uint8Array }) => Partial<TxIn>;

/** Verdict on the spend of an output that was mined in block 101. */
function spending(scriptPubKey: Uint8Array, sign: Sign, settings: Settings): string {
  const own = new PoolNode({ coins: 1, ...settings });
  const parent = own.pay([own.coin(0)], [], { vout: [{ value: DFI, scriptPubKey, tokenId: 0 }] });
  own.mine([parent]);
  const { txFormat: format } = own.chain.params;
  const input = { prevout: output(parent), scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] };
  const tx = own.pay([], [DFI / 2n], { vin: [input] });
  const hashes = {
    legacy: legacySignatureHash({ tx, format, input: 0 }, KECCAK_SCRIPT, 1),
    witness: witnessSignatureHash(new WitnessHashes(tx, format), 0, { scriptCode: KECCAK_SCRIPT, value: DFI, hashType: 1 }),
  };
  return own.tell(makeTransaction({ ...tx, vin: [{ ...input, ...sign(hashes) }] }, format), NO_FEE_LIMIT);
}

function signature(hash: Uint8Array): Uint8Array {
  return concatBytes(encodeDer(signCompact(hash, SECRET)), Uint8Array.of(1));
}

const keccakInP2sh = buildScript(Op.KECCAK, reverseBytes(ADDRESS), Op.EQUAL);

const spends: { name: string; script: Uint8Array; sign: Sign; before: string }[] = [
  {
    name: 'OP_KECCAK in the form of P2PKH',
    script: KECCAK_SCRIPT,
    sign: ({ legacy }) => ({ scriptSig: buildScript(signature(legacy), KEY) }),
    before: 'bad-txns-nonstandard-inputs (code 64)',
  },
  {
    name: 'OP_KECCAK in a redeem script',
    script: scriptOf({ type: 'sh', hash: hash160(keccakInP2sh) }),
    sign: () => ({ scriptSig: buildScript(KEY, keccakInP2sh) }),
    before: 'mandatory-script-verify-flag-failed (Opcode missing or not understood) (code 16)',
  },
  {
    name: 'witness version 16',
    script: erc55Script(ADDRESS),
    sign: ({ witness }) => ({ witness: [signature(witness), KEY] }),
    before: 'non-mandatory-script-verify-flag (Witness version reserved for soft-fork upgrades) (code 64)',
  },
];

for (const { name, script, sign, before } of spends) {
  test(`a spend of ${name} is relayed from Metachain on`, () => {
    assert.equal(spending(script, sign, { metachain: METACHAIN }), 'allowed');
    assert.equal(spending(script, sign, { metachain: METACHAIN + 1 }), before);
  });
}

/** Verdict on a payment to a script in block 101, or in the first block from Metachain on. */
function paying(scriptPubKey: Uint8Array, settings: Settings): string {
  const own = new PoolNode({ coins: 1, ...settings });
  return own.tell(own.pay([own.coin(0)], [], { vout: [{ value: DFI, scriptPubKey, tokenId: 0 }] }), NO_FEE_LIMIT);
}

test('outputs to EVM addresses are refused from Metachain on, also where nonstandard transactions are relayed', () => {
  const script = erc55Script(ADDRESS);
  for (const requireStandard of [true, false]) {
    const policy = { requireStandard };
    assert.equal(paying(script, { policy }), 'allowed');
    assert.equal(paying(script, { policy, metachain: METACHAIN }), 'allowed');
    assert.equal(paying(script, { policy, metachain: METACHAIN - 1 }), 'eth-scriptpubkey (code 64)');
  }
});

test('an output to an EVM address is not noticed behind another reason, where nonstandard transactions are relayed', () => {
  const own = new PoolNode({ coins: 1, metachain: METACHAIN - 1, policy: { requireStandard: false } });
  const vout = [Uint8Array.of(Op.ONE), erc55Script(ADDRESS)].map((scriptPubKey) => ({ value: DFI, scriptPubKey, tokenId: 0 }));
  assert.equal(own.tell(own.pay([own.coin(0)], [], { vout }), NO_FEE_LIMIT), 'allowed');
});

test('an output of OP_KECCAK in the form of P2PKH is standard from Metachain on', () => {
  assert.equal(paying(KECCAK_SCRIPT, {}), 'scriptpubkey (code 64)');
  assert.equal(paying(KECCAK_SCRIPT, { metachain: METACHAIN }), 'scriptpubkey (code 64)');
  assert.equal(paying(KECCAK_SCRIPT, { metachain: METACHAIN - 1 }), 'allowed');
});
