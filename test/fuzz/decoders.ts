import { BlockInvalid } from '../../src/consensus/errors.js';
import { requireCommitment } from '../../src/dfi/evm/commitment.js';
import { decodeRlp, encodeRlp, type Rlp } from '../../src/dfi/evm/rlp.js';
import { decodeTransaction } from '../../src/dfi/evm/transaction.js';
import { dfiColumns } from '../../src/dfi/state/columns.js';
import { customTxs } from '../../src/dfi/tx/registry.js';
import { wireCodecs } from '../../src/p2p/wire/messages.js';
import { networkParams } from '../../src/params/index.js';
import { block } from '../../src/primitives/block.js';
import { type Codec, DecodeError, decode, encode } from '../../src/primitives/codec.js';
import { blockHeader } from '../../src/primitives/header.js';
import { merkleBlock } from '../../src/primitives/partial-merkle.js';
import { transaction } from '../../src/primitives/transaction.js';
import { psbtCodec } from '../../src/psbt/codec.js';
import { decodeDestination } from '../../src/script/address.js';
import { parseDescriptor } from '../../src/script/descriptor-parser.js';
import { NodeError } from '../../src/util/errors.js';
import { parseJson, writeJson } from '../../src/util/json.js';

/** Something that reads bytes from outside, or that were written long ago. */
export interface Decoder {
  readonly name: string;
  decode(bytes: Uint8Array): unknown;
  /** Absent where nothing is written back. */
  encode?(value: unknown): Uint8Array;
  /** Every value has one spelling: what is read is written as the same bytes. */
  readonly isExact: boolean;
  /** The error that it throws for bytes that are wrong. */
  isOwnError(error: unknown): boolean;
}

const { txFormat, address } = networkParams({ network: 'regtest' });

function codecDecoder(name: string, codec: Codec<unknown>, isExact = false): Decoder {
  return {
    name,
    isExact,
    decode: (bytes) => decode(codec, bytes),
    encode: (value) => encode(codec, value),
    isOwnError: (error) => error instanceof DecodeError,
  };
}

/** What reads text; the bytes are taken for UTF-8. */
function textDecoder(name: string, read: (text: string) => unknown, isOwnError: (error: unknown) => boolean): Decoder {
  return { name, isExact: false, decode: (bytes) => read(Buffer.from(bytes).toString('utf8')), isOwnError };
}

const isSyntaxError = (error: unknown): boolean => error instanceof SyntaxError;

/** Messages with flags, of which any byte but 0 is true, or with parts that nobody reads. */
const SEVERAL_SPELLINGS = new Set(['version', 'sendcmpct', 'reject', 'headers']);

export const decoders: readonly Decoder[] = [
  codecDecoder('transaction', transaction(txFormat), true),
  codecDecoder('transaction-without-witness', transaction(txFormat, { witness: false }), true),
  codecDecoder('block', block(txFormat) as Codec<unknown>, true),
  codecDecoder('header', blockHeader, true),
  codecDecoder('merkleblock', merkleBlock, true),
  codecDecoder('psbt', psbtCodec(txFormat) as Codec<unknown>),
  ...customTxs.flatMap(({ name, type, codec }) => (codec ? [codecDecoder(`custom-${name}-${type.charCodeAt(0)}`, codec)] : [])),
  ...Object.entries(wireCodecs(txFormat)).map(([command, codec]) =>
    codecDecoder(`wire-${command}`, codec as Codec<unknown>, !SEVERAL_SPELLINGS.has(command)),
  ),
  ...dfiColumns.flatMap(({ name, key, value }) => [
    codecDecoder(`column-${name.replaceAll('/', '-')}-key`, key),
    codecDecoder(`column-${name.replaceAll('/', '-')}-value`, value),
  ]),
  {
    name: 'evm-rlp',
    isExact: true,
    decode: decodeRlp,
    encode: (value) => encodeRlp(value as Rlp),
    isOwnError: (error) => error instanceof DecodeError,
  },
  { name: 'evm-transaction', isExact: false, decode: decodeTransaction, isOwnError: (error) => error instanceof DecodeError },
  {
    name: 'evm-commitment',
    isExact: false,
    decode: (bytes) => requireCommitment({ vout: [bytes, bytes].map((scriptPubKey) => ({ value: 0n, scriptPubKey, tokenId: 0 })) }),
    isOwnError: (error) => error instanceof BlockInvalid,
  },
  textDecoder(
    'address',
    (text) => decodeDestination(text, address),
    () => false,
  ),
  textDecoder(
    'descriptor',
    (text) => parseDescriptor(text, address),
    (error) => error instanceof NodeError,
  ),
  {
    ...textDecoder('json', parseJson, isSyntaxError),
    encode: (value) => Buffer.from(writeJson(value as ReturnType<typeof parseJson>)),
  },
];
