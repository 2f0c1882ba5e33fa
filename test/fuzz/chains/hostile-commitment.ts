import { isUtf8 } from 'node:buffer';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { COMMITMENT_POSITION, type EvmCommitment, evmCommitment, requireCommitment } from '../../../src/dfi/evm/commitment.js';
import { encode } from '../../../src/primitives/codec.js';
import type { TxOut } from '../../../src/primitives/transaction.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript, readOp } from '../../../src/script/script.js';
import { concatBytes, EMPTY_BYTES, fromHex } from '../../../src/util/bytes.js';
import type { Random } from '../mutate.js';

const MAX_U64 = 2n ** 64n - 1n;
const ZEROS = '0'.repeat(64);

/** Data of the output that commits to an EVM block; undefined if the output is another one. */
function commitmentData(out: TxOut | undefined): Uint8Array | undefined {
  return out?.scriptPubKey[0] === Op.RETURN ? readOp(out.scriptPubKey, 1)?.data : undefined;
}

/** Commitment of a coinbase; undefined if it has none. */
function commitmentIn(vout: readonly TxOut[]): EvmCommitment | undefined {
  try {
    return requireCommitment({ vout });
  } catch (error) {
    if (error instanceof BlockInvalid) return undefined;
    throw error;
  }
}

/** EVM address in the commitment of a coinbase, 20 bytes; undefined without a commitment. */
export function beneficiaryIn(vout: readonly TxOut[]): Uint8Array | undefined {
  const fields = commitmentIn(vout);
  return fields && fromHex(fields.beneficiary);
}

/**
 * True if `defid` 4.2.5 survives the block: it has no commitment, or one with an address that is a text. Otherwise it throws an exception,
 * does not mark the block invalid, and tries it again in place of every later block of this height.
 */
export function hasReadableCommitment(vout: readonly TxOut[]): boolean {
  const fields = commitmentIn(vout);
  return fields === undefined || isUtf8(Buffer.from(fields.beneficiary, 'latin1'));
}

/** The outputs of a coinbase with another commitment. */
export function withOutput(vout: readonly TxOut[], out: TxOut): readonly TxOut[] {
  return vout.map((each, i) => (i === COMMITMENT_POSITION ? out : each));
}

/** Changes the outputs of a coinbase that commits to an EVM block. */
export function withOtherCommitment(vout: readonly TxOut[], random: Random): readonly TxOut[] {
  const out = vout[COMMITMENT_POSITION];
  const data = commitmentData(out);
  const fields = commitmentIn(vout);
  if (!out || !data || !fields) return vout;
  const kind = random.below(10);
  if (kind === 0) return otherPlace(vout, out, random);
  if (kind === 1)
    return withOutput(
      vout,
      random.pick([
        { ...out, value: 1n },
        { ...out, tokenId: 1 },
      ]),
    );
  const other = kind <= 3 ? otherScript(data, random) : buildScript(Op.RETURN, encode(evmCommitment, otherFields(fields, random)));
  return withOutput(vout, { ...out, scriptPubKey: other });
}

/** The commitment twice, missing, or elsewhere. Not a coinbase of a single output, because `defid` reads the second one regardless. */
function otherPlace(vout: readonly TxOut[], out: TxOut, random: Random): readonly TxOut[] {
  const [first, ...rest] = vout as [TxOut, ...TxOut[]];
  const others = rest.slice(1);
  return random.pick([
    [...vout, out],
    [first, out, ...rest],
    [out, first, ...others],
    [first, ...others, out],
    ...(others.length > 0 ? [[first, ...others]] : []),
    [first, { ...first, value: 0n }, ...rest],
  ]);
}

function otherScript(data: Uint8Array, random: Random): Uint8Array {
  const length = data.length;
  const long = Uint8Array.of(Op.RETURN, Op.PUSHDATA2, length & 0xff, length >> 8);
  return random.pick([
    concatBytes(long, data),
    concatBytes(long, data, Uint8Array.of(0xff)),
    concatBytes(Uint8Array.of(Op.RETURN, Op.PUSHDATA4, length & 0xff, length >> 8, 0, 0), data),
    concatBytes(long, data.subarray(0, random.below(length))),
    buildScript(Op.RETURN, concatBytes(data, random.bytes(1 + random.below(4)))),
    buildScript(Op.RETURN, data.subarray(0, random.below(length))),
    buildScript(Op.RETURN, data, data),
    buildScript(Op.RETURN, EMPTY_BYTES, data),
    buildScript(Op.RETURN, Op.NOP, data),
    buildScript(data),
    buildScript(Op.RETURN),
    EMPTY_BYTES,
  ]);
}

function otherFields(fields: EvmCommitment, random: Random): EvmCommitment {
  const { version, evmVersion, blockHash, burnt, priority, beneficiary } = fields;
  const at = random.below(40);
  const spaced = `${beneficiary.slice(0, at)}${random.pick([' ', '\n', '\t\r', '\v', '\0'])}${beneficiary.slice(at)}`;
  return random.pick<EvmCommitment>([
    { ...fields, version: random.pick([version + 1, 0xffffffff]) },
    { ...fields, evmVersion: random.pick([evmVersion + 1, 0xffffffff]) },
    { ...fields, blockHash: random.pick([ZEROS, '', `0x${blockHash}`, blockHash.toUpperCase(), blockHash.slice(0, -1), `${blockHash}\0`]) },
    { ...fields, blockHash: `${random.pick([...'0123456789abcdef'])}${blockHash.slice(1)}` },
    { ...fields, burnt: random.pick([0n, burnt + 1n, burnt - 1n, MAX_U64]) & MAX_U64 },
    { ...fields, priority: random.pick([0n, priority + 1n, priority - 1n, MAX_U64]) & MAX_U64 },
    { ...fields, burnt: priority, priority: burnt },
    {
      ...fields,
      beneficiary: random.pick(['', `0x${beneficiary}`, `0X${beneficiary}`, `0x0x${beneficiary}`, beneficiary.toUpperCase(), spaced]),
    },
    {
      ...fields,
      beneficiary: random.pick([beneficiary.slice(1), `${beneficiary}0`, `${beneficiary.slice(1)}g`, `0x${spaced}`, '0x', ' ']),
    },
    { ...fields, beneficiary: Buffer.from(random.bytes(20)).toString('hex') },
  ]);
}
