import { chainColumns } from '../../src/chain/database.js';
import { BlockInvalid } from '../../src/consensus/errors.js';
import { parseLaxDer } from '../../src/crypto/der.js';
import { ExtendedKey } from '../../src/crypto/hd.js';
import { parseWif } from '../../src/crypto/keys.js';
import { messageAttributes } from '../../src/dfi/attributes/attributes.js';
import { formatPath, parsePath } from '../../src/dfi/attributes/path.js';
import { ATTRIBUTE_TYPES } from '../../src/dfi/attributes/table.js';
import { attributeValue } from '../../src/dfi/attributes/value.js';
import { requireCommitment } from '../../src/dfi/evm/commitment.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { customTxs } from '../../src/dfi/execution/registry.js';
import { TxRejected } from '../../src/dfi/kernel/rejected.js';
import { eventColumns } from '../../src/events/columns.js';
import { decodeEvmTransaction } from '../../src/evm/codec/transaction.js';
import { golombSet } from '../../src/indexes/filter/golomb.js';
import { indexColumns } from '../../src/indexes/index.js';
import { parseEndpoint } from '../../src/p2p/addresses/ip.js';
import { parseSubnet } from '../../src/p2p/addresses/subnet.js';
import { decodeTransactions, encodeTransactions } from '../../src/p2p/wire/blocktxn.js';
import { type Frame, FrameParser } from '../../src/p2p/wire/envelope.js';
import { wireCodecs } from '../../src/p2p/wire/messages.js';
import { networkParams } from '../../src/params/index.js';
import { block } from '../../src/primitives/block.js';
import { type Codec, DecodeError } from '../../src/primitives/codec.js';
import type { Hash256 } from '../../src/primitives/hash.js';
import { blockHeader } from '../../src/primitives/header.js';
import { merkleBlock } from '../../src/primitives/partial-merkle.js';
import { type Transaction, transaction } from '../../src/primitives/transaction.js';
import { psbtCodec } from '../../src/psbt/codec.js';
import { formatPsbt, parsePsbt } from '../../src/psbt/text.js';
import { decodeDestination, encodeDestination } from '../../src/script/address.js';
import { parseDescriptor } from '../../src/script/descriptor-parser.js';
import { NodeError } from '../../src/util/errors.js';
import { type JsonValue, parseJson, writeJson } from '../../src/util/json.js';
import { finish } from '../../src/util/slicer.js';
import { columnDecoderName } from './column-name.js';
import { bytesDecoder, codecDecoder, type Decoder, textDecoder } from './decoder.js';
import { fileDecoders } from './file-decoders.js';
import { rpcDecoders } from './rpc-decoders.js';
import { readScript, runScripts } from './script-decoders.js';

const { txFormat, address, p2pMagic } = networkParams({ network: 'regtest' });

/**
 * Messages that have several encodings of one value: flags of which any byte but 0 is true, ignored trailing data, or sets in any
 * order.
 */
const SEVERAL_SPELLINGS = new Set(['version', 'sendcmpct', 'reject', 'headers', 'anchorauth', 'blocktxn']);

const { blocktxn, ...otherMessages } = wireCodecs(txFormat);

/** Reads the transactions too, which a node decodes only if it requested them. */
const readBlocktxn: Codec<{ readonly blockHash: Hash256; readonly transactions: readonly Transaction[] }> = {
  write: (w, { blockHash, transactions }) => blocktxn.write(w, { blockHash, raw: encodeTransactions(transactions, txFormat) }),
  read(r) {
    const { blockHash, raw } = blocktxn.read(r);
    return { blockHash, transactions: finish(decodeTransactions(raw, txFormat)) };
  },
};
const wire = { ...otherMessages, blocktxn: readBlocktxn };

const customDecoders = customTxs.flatMap(({ name, type, codec }) =>
  codec ? [{ type: type.charCodeAt(0), decoder: codecDecoder(`custom-${name}-${type.charCodeAt(0)}`, codec) }] : [],
);

/** Names of the decoders of payloads with a type byte; some types have two layouts, before and after an upgrade. */
export function customDecoderNames(type: number): string[] {
  return customDecoders.filter((each) => each.type === type).map(({ decoder }) => decoder.name);
}

/** Messages of a stream. They must be the same whether it arrives in one piece or byte by byte. */
function readFrames(bytes: Uint8Array): readonly Frame[] {
  const whole = framesOf([bytes]);
  const cut = framesOf(Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)));
  if (JSON.stringify(whole) !== JSON.stringify(cut)) throw new Error('the pieces of a stream change its messages');
  return whole;
}

function framesOf(pieces: readonly Uint8Array[]): Frame[] {
  const frames: Frame[] = [];
  const parser = new FrameParser(p2pMagic, (command) => command in wire);
  for (const piece of pieces) parser.push(piece, (frame) => frames.push(frame));
  return frames;
}

const isNodeError = (error: unknown): boolean => error instanceof NodeError;
const isDecodeError = (error: unknown): boolean => error instanceof DecodeError;
const isSyntaxError = (error: unknown): boolean => error instanceof SyntaxError;
const never = (): boolean => false;

/** A text decoder with the function that formats its values. */
function spelling<T>(decoder: Decoder, write: (value: T) => string): Decoder {
  return { ...decoder, encode: (value) => Buffer.from(value === undefined ? '' : write(value as T)) };
}

export const decoders: readonly Decoder[] = [
  codecDecoder('transaction', transaction(txFormat), true),
  codecDecoder('transaction-without-witness', transaction(txFormat, { witness: false }), true),
  codecDecoder('block', block(txFormat) as Codec<unknown>, true),
  codecDecoder('header', blockHeader, true),
  codecDecoder('merkleblock', merkleBlock, true),
  codecDecoder('psbt', psbtCodec(txFormat) as Codec<unknown>),
  ...customDecoders.map(({ decoder }) => decoder),
  codecDecoder('attributes', messageAttributes as Codec<unknown>),
  codecDecoder('attribute-value', attributeValue as Codec<unknown>),
  codecDecoder('golomb-set', golombSet(19) as Codec<unknown>),
  bytesDecoder('wire', readFrames, never),
  ...Object.entries(wire).map(([command, codec]) =>
    codecDecoder(`wire-${command}`, codec as Codec<unknown>, !SEVERAL_SPELLINGS.has(command)),
  ),
  ...[...chainColumns, ...indexColumns, ...eventColumns, ...dfiColumns].flatMap(({ name, key, value }) => [
    codecDecoder(columnDecoderName(name, 'key'), key),
    codecDecoder(columnDecoderName(name, 'value'), value),
  ]),
  { name: 'evm-transaction', isExact: false, decode: decodeEvmTransaction, isOwnError: (error) => error instanceof DecodeError },
  {
    name: 'evm-commitment',
    isExact: false,
    decode: (bytes) => requireCommitment({ vout: [bytes, bytes].map((scriptPubKey) => ({ value: 0n, scriptPubKey, tokenId: 0 })) }),
    isOwnError: (error) => error instanceof BlockInvalid,
  },
  ...fileDecoders,
  bytesDecoder('script', readScript, never),
  bytesDecoder('script-run', runScripts),
  bytesDecoder('der', parseLaxDer, never),
  spelling(
    textDecoder('address', (text) => decodeDestination(text, address), never),
    (destination: NonNullable<ReturnType<typeof decodeDestination>>) => encodeDestination(destination, address),
  ),
  textDecoder('wif', (text) => parseWif(text, address), never),
  textDecoder('extended-key', (text) => ExtendedKey.parse(text, address)?.publicText, never),
  textDecoder('descriptor', (text) => parseDescriptor(text, address), isNodeError),
  spelling(
    textDecoder('psbt-text', (text) => parsePsbt(text, txFormat), isDecodeError),
    (psbt: ReturnType<typeof parsePsbt>) => formatPsbt(psbt, txFormat),
  ),
  textDecoder('endpoint', (text) => parseEndpoint(text, 8555), never),
  textDecoder('subnet', parseSubnet, never),
  spelling(
    textDecoder(
      'attribute-path',
      (text) => parsePath(text, ATTRIBUTE_TYPES),
      (error) => error instanceof TxRejected,
    ),
    (key: NonNullable<ReturnType<typeof parsePath>>) => formatPath(key) ?? '',
  ),
  spelling(textDecoder('json', parseJson, isSyntaxError), (value: JsonValue) => writeJson(value)),
  ...rpcDecoders,
];
