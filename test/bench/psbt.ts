import { isPublicKey, publicKeyOf } from '../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../src/crypto/hash.js';
import { decode, encode } from '../../src/primitives/codec.js';
import { makeTransaction } from '../../src/primitives/transaction.js';
import { psbtCodec } from '../../src/psbt/codec.js';
import { createPsbt, EMPTY_INPUT, EMPTY_OUTPUT, type Psbt } from '../../src/psbt/psbt.js';
import { scriptOf } from '../../src/script/address.js';
import { EMPTY_BYTES, toHex } from '../../src/util/bytes.js';

const format = { tokenIds: true };
const INPUTS = 100;
const SECONDS = 2;
const WARM_ROUNDS = 50;
const TARGET = 300;

const keys = Array.from({ length: INPUTS }, (_, n) => publicKeyOf(sha256(Uint8Array.of(n, 1))));
const origin = { fingerprint: Uint8Array.of(1, 2, 3, 4), path: [0x8000_0000, 7] };

/** Each input with the output it spends, one signature and one key path, each of its own key; two outputs with key paths. */
function sample(): Psbt {
  const scripts = keys.map((key) => scriptOf({ type: 'wpkh', hash: hash160(key) }));
  const vin = keys.map((_, vout) => ({
    prevout: { txid: new Uint8Array(32).fill(9), vout },
    scriptSig: EMPTY_BYTES,
    sequence: 0xfffffffd,
    witness: [],
  }));
  const vout = scripts.slice(0, 2).map((scriptPubKey) => ({ value: 5_000n, scriptPubKey, tokenId: 0 }));
  const tx = makeTransaction({ version: 4, lockTime: 0, vin, vout }, format);
  const pathOf = (publicKey: Uint8Array) => new Map([[toHex(publicKey), { publicKey, origin }]]);
  return {
    ...createPsbt(tx),
    inputs: keys.map((publicKey, i) => ({
      ...EMPTY_INPUT,
      witnessUtxo: { value: 100n, scriptPubKey: scripts[i] as Uint8Array, tokenId: 0 },
      partialSignatures: new Map([[toHex(hash160(publicKey)), { publicKey, signature: new Uint8Array(71).fill(0x30) }]]),
      keyPaths: pathOf(publicKey),
    })),
    outputs: keys.slice(0, 2).map((publicKey) => ({ ...EMPTY_OUTPUT, keyPaths: pathOf(publicKey) })),
  };
}

/** Runs per second of CPU time: steadier than wall-clock time on a busy machine. */
function rateOf(work: () => void): number {
  for (let i = 0; i < WARM_ROUNDS; i++) work();
  const before = process.cpuUsage();
  const from = performance.now();
  let rounds = 0;
  while (performance.now() - from < SECONDS * 1000) {
    work();
    rounds += 1;
  }
  const { user, system } = process.cpuUsage(before);
  return (rounds * 1_000_000) / (user + system);
}

/** A PSBT of 100 inputs, decoded and encoded again. The floor is the check of its keys, which every decoder must do. */
export function run(): void {
  const codec = psbtCodec(format);
  const bytes = encode(codec, sample());
  const rate = rateOf(() => encode(codec, decode(codec, bytes)));
  const floor = rateOf(() => keys.every((key) => isPublicKey(key)));
  console.log(`${`PSBT of ${bytes.length} bytes`.padEnd(24)}${Math.round(rate)} times/s (target ${TARGET})`);
  console.log(`${`its ${INPUTS} keys alone`.padEnd(24)}${Math.round(floor)} times/s, ratio ${(rate / floor).toFixed(2)}`);
}
