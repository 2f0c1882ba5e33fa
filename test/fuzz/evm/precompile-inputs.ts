import { wordBytes } from '../../../src/evm/words.js';
import { concatBytes, fromHex } from '../../../src/util/bytes.js';
import type { Random } from '../mutate.js';

/** A signature of secp256k1's example key that ecrecover accepts. */
const SIGNATURE = fromHex(
  '456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3' +
    '000000000000000000000000000000000000000000000000000000000000001c' +
    '9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608' +
    '4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada',
);
/** Generator of the first group of bn254, and its negation. */
const POINT = concatBytes(wordBytes(1n), wordBytes(2n));
const FIELD = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
const NEGATED = concatBytes(wordBytes(1n), wordBytes(FIELD - 2n));
/** Generator of the second group, imaginary parts first. */
const TWIST = fromHex(
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2' +
    '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed' +
    '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b' +
    '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
);
const MODEXP_LENGTHS = [0, 1, 2, 8, 31, 32, 33, 64];
const TOO_LONG = 1025;
const BLAKE2_SIZE = 213;

/** Input of a precompiled contract that it accepts, at least most often. */
export function precompileInput(address: bigint, random: Random): Uint8Array {
  const input = validInput(address, random);
  if (random.below(4) > 0 || input.length === 0) return input;
  const spoilt = Uint8Array.from(input);
  spoilt[random.below(spoilt.length)] = random.below(256);
  return random.below(3) === 0 ? spoilt.subarray(0, random.below(spoilt.length)) : spoilt;
}

function validInput(address: bigint, random: Random): Uint8Array {
  switch (Number(address)) {
    case 1:
      return SIGNATURE;
    case 5:
      return modexpInput(random);
    case 6:
      return concatBytes(random.pick([POINT, NEGATED, new Uint8Array(64)]), random.pick([POINT, NEGATED]));
    case 7:
      return concatBytes(random.pick([POINT, NEGATED]), random.pick([wordBytes(BigInt(random.below(5))), random.bytes(32)]));
    case 8:
      return random.below(8) > 0 ? new Uint8Array(0) : concatBytes(POINT, TWIST, NEGATED, TWIST);
    case 9:
      return concatBytes(Uint8Array.of(0, 0, 0, random.below(20)), random.bytes(BLAKE2_SIZE - 5), Uint8Array.of(random.below(2)));
    default:
      return random.bytes(random.below(150));
  }
}

function modexpInput(random: Random): Uint8Array {
  const length = () => (random.below(40) === 0 ? TOO_LONG : random.pick(MODEXP_LENGTHS));
  const lengths = [length(), length(), length()];
  const operands = lengths.map((size) => (random.below(6) === 0 ? new Uint8Array(Math.min(size, 64)) : random.bytes(Math.min(size, 64))));
  return concatBytes(...lengths.map((size) => wordBytes(BigInt(size))), ...operands);
}
