import { BlockInvalid } from '../../consensus/errors.js';
import type { BuiltBlock } from '../../evm/block/block-builder.js';
import { ByteReader, type Codec, DecodeError, encode, struct, u32, u64 } from '../../primitives/codec.js';
import type { Transaction, TxOut } from '../../primitives/transaction.js';
import { EVM_ADDRESS_SIZE } from '../../script/erc55.js';
import { Op } from '../../script/opcodes.js';
import { buildScript, readOp } from '../../script/script.js';
import { fromHex, toHex } from '../../util/bytes.js';
import { toSatoshis } from '../kernel/evm-numbers.js';
import { byteString } from '../kernel/text.js';

/** Commitment to the EVM block in a coinbase. Hash and address are hex, made without a prefix; fees are satoshis. */
export interface EvmCommitment {
  readonly version: number;
  readonly evmVersion: number;
  readonly blockHash: string;
  /** Burnt fees. */
  readonly burnt: bigint;
  /** Fees paid to the beneficiary. */
  readonly priority: bigint;
  readonly beneficiary: string;
}

/** Facts about an EVM block that the coinbase commits to. Fees are wei. */
type CommittedBlock = Pick<BuiltBlock, 'hash' | 'burnt' | 'priority'>;

/** Content of the output with the commitment. @see docs/protocol/evm.md 6.3 */
export const evmCommitment: Codec<EvmCommitment> = struct<EvmCommitment>({
  version: u32,
  evmVersion: u32,
  blockHash: byteString,
  burnt: u64,
  priority: u64,
  beneficiary: byteString,
});

/** Index of the coinbase output with the commitment. */
export const COMMITMENT_POSITION = 1;
const ADDRESS = /^[0-9a-fA-F]{40}$/;
/** White space that the reader of hex in `defid` skips wherever it is, as block validity shows. */
const SKIPPED = /[ \t\r\n]/g;

/** Coinbase output that commits to an EVM block. @param beneficiary 20 bytes */
export function commitmentOutput({ hash, burnt, priority }: CommittedBlock, beneficiary: Uint8Array): TxOut {
  const fees = { burnt: toSatoshis(burnt), priority: toSatoshis(priority) };
  const fields = { version: 0, evmVersion: 0, ...fees, blockHash: toHex(hash), beneficiary: toHex(beneficiary) };
  return { value: 0n, scriptPubKey: buildScript(Op.RETURN, encode(evmCommitment, fields)), tokenId: 0 };
}

/** Reads the commitment of a coinbase that must have one. @throws {BlockInvalid} if it is missing or malformed */
export function requireCommitment({ vout }: Pick<Transaction, 'vout'>): EvmCommitment {
  const output = vout[COMMITMENT_POSITION];
  if (!output) throw new BlockInvalid('bad-xvm-coinbase', 'consensus', 'Not enough outputs in coinbase TX');
  return readCommitment(output.scriptPubKey);
}

/** Decodes the first push; bytes after the fields are ignored. */
function readCommitment(script: Uint8Array): EvmCommitment {
  if (script[0] !== Op.RETURN) throw malformed('OP_RETURN expected');
  const push = readOp(script, 1);
  if (!push?.data) throw malformed('OP_PUSHDATA expected');
  try {
    return evmCommitment.read(new ByteReader(push.data));
  } catch (error) {
    if (error instanceof DecodeError) throw malformed('Deserialization failed');
    throw error;
  }
}

/** Address that receives the fees; the zero address if the field is empty. @throws {BlockInvalid} if it is not an address */
export function beneficiaryOf({ beneficiary }: Pick<EvmCommitment, 'beneficiary'>): Uint8Array {
  if (beneficiary === '') return new Uint8Array(EVM_ADDRESS_SIZE);
  const digits = beneficiary.replace(/^0x/, '').replace(SKIPPED, '');
  if (!ADDRESS.test(digits)) throw new BlockInvalid('bad-evm-template', 'consensus', 'Failed to create block template');
  return fromHex(digits);
}

function malformed(text: string): BlockInvalid {
  return new BlockInvalid('bad-xvm-coinbase', 'consensus', `Coinbase XVM: ${text}`);
}
