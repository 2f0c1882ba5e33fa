import { DUST, INPUT_SIZE, inputOf, OUTPUT_SIZE, sizeOf } from '../bitcoin/form.js';
import { BITCOIN_FORMAT } from '../bitcoin/regtest-bitcoin.js';
import { decodeBase58Check } from '../crypto/base58.js';
import { encodeDer } from '../crypto/der.js';
import { publicKeyOf, signCompact } from '../crypto/ecdsa.js';
import { hash160 } from '../crypto/hash.js';
import type { PrivateKey } from '../crypto/keys.js';
import type { NetworkParams } from '../params/network.js';
import { ByteReader, DecodeError, encode, u32 } from '../primitives/codec.js';
import type { OutPoint } from '../primitives/outpoint.js';
import { compactSizeLength, makeTransaction, type Transaction, type TransactionFields, type TxOut } from '../primitives/transaction.js';
import { scriptOf } from '../script/address.js';
import { Op } from '../script/opcodes.js';
import { buildScript, readOp } from '../script/script.js';
import { legacySignatureHash } from '../script/sighash.js';
import { SIGHASH_ALL } from '../script/signature-encoding.js';
import { concatBytes, equalBytes } from '../util/bytes.js';
import { type Anchor, anchor } from './anchor.js';
import { ANCHOR_MARKER } from './team-data.js';

type AnchorParams = Pick<NetworkParams, 'anchor'>;

/** Smallest P2WSH output that Bitcoin relays, in satoshis. */
const P2WSH_DUST = 330n;
const VERSION = 1;

/** Bytes of the data that the OP_RETURN output holds. The rest is in the hashes of P2WSH outputs, which cannot be spent. */
const RETURN_SIZE = 80;
const CHUNK_SIZE = 32;

/** An output of the Bitcoin chain that pays for an anchor. */
export interface FundingInput {
  readonly prevout: OutPoint;
  /** Satoshis of bitcoin. */
  readonly value: bigint;
  /** Key that the output pays to as P2PKH. */
  readonly key: PrivateKey;
}

/** The inputs do not pay for the transaction of an anchor. */
export class NotEnoughMoney extends Error {}

/** Outputs of the transaction of an anchor: payment to the address of anchors, then the data. */
function anchorOutputs(data: Anchor, params: AnchorParams): readonly TxOut[] {
  const content = encode(anchor, data);
  const bytes = concatBytes(ANCHOR_MARKER, encode(u32, content.length), content);
  const outputs = [output(DUST, anchorScript(params)), output(0n, buildScript(Op.RETURN, bytes.subarray(0, RETURN_SIZE)))];
  for (let at = RETURN_SIZE; at < bytes.length; at += CHUNK_SIZE) {
    const chunk = new Uint8Array(CHUNK_SIZE);
    chunk.set(bytes.subarray(at, at + CHUNK_SIZE));
    outputs.push(output(P2WSH_DUST, scriptOf({ type: 'wsh', hash: chunk })));
  }
  return outputs;
}

/** The transaction of an anchor without inputs, which its sender adds. */
export function anchorTemplate(data: Anchor, params: AnchorParams): Transaction {
  return makeTransaction({ version: 2, vin: [], vout: anchorOutputs(data, params), lockTime: 0 }, BITCOIN_FORMAT);
}

/**
 * Cost in satoshis of an anchor with one input and change.
 * @param feeRate satoshis per 1,000 bytes
 */
export function anchorCost(data: Anchor, feeRate: bigint, params: AnchorParams): bigint {
  const outputs = anchorOutputs(data, params);
  return paid(outputs) + fee(1, [...outputs, output(DUST, anchorScript(params))], feeRate);
}

/**
 * The signed transaction of an anchor. Change is paid to the key of the first input.
 * @param feeRate satoshis per 1,000 bytes
 * @returns the transaction, and what it costs in satoshis
 * @throws {NotEnoughMoney}
 */
export function makeAnchorTransaction(
  data: Anchor,
  inputs: readonly FundingInput[],
  feeRate: bigint,
  params: AnchorParams,
): { readonly tx: Transaction; readonly cost: bigint } {
  const outputs = anchorOutputs(data, params);
  const cost = paid(outputs) + fee(inputs.length, outputs, feeRate);
  const total = inputs.reduce((sum, { value }) => sum + value, 0n);
  if (total < cost) throw new NotEnoughMoney(`Not enough money to create anchor: ${total} (need ${cost})`);
  const [first] = inputs;
  const hasChange = first !== undefined && total - cost > DUST;
  const vout = hasChange ? [...outputs, output(total - cost, keyScript(first.key))] : outputs;
  const vin = inputs.map(({ prevout }) => inputOf(prevout));
  const unsigned = { version: VERSION, vin, vout, lockTime: 0 };
  const signed = { ...unsigned, vin: vin.map((input, i) => ({ ...input, scriptSig: spend(unsigned, i, inputs) })) };
  return { tx: makeTransaction(signed, BITCOIN_FORMAT), cost: hasChange ? cost + BigInt(OUTPUT_SIZE) : total };
}

/** The anchor of a Bitcoin transaction; undefined if it has none, or a malformed one. */
export function parseAnchor({ vout }: TransactionFields, params: AnchorParams): Anchor | undefined {
  const [payment, first, ...others] = vout;
  if (!payment || !first || !equalBytes(payment.scriptPubKey, anchorScript(params))) return undefined;
  const begin = returnedData(first.scriptPubKey);
  if (!begin || begin.length < ANCHOR_MARKER.length + 4 || !equalBytes(begin.subarray(0, ANCHOR_MARKER.length), ANCHOR_MARKER)) {
    return undefined;
  }
  try {
    const header = new ByteReader(begin.subarray(ANCHOR_MARKER.length));
    const size = header.u32();
    const parts = [header.bytes(header.remaining)];
    let read = (parts[0] as Uint8Array).length;
    if (size < read || size - read > others.length * CHUNK_SIZE) return undefined;
    for (const { scriptPubKey } of others) {
      if (read >= size) break;
      if (scriptPubKey.length !== CHUNK_SIZE + 2 || scriptPubKey[0] !== Op.ZERO || scriptPubKey[1] !== CHUNK_SIZE) return undefined;
      parts.push(scriptPubKey.subarray(2));
      read += CHUNK_SIZE;
    }
    return anchor.read(new ByteReader(concatBytes(...parts)));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Data of an output that returns it; undefined for other outputs. */
function returnedData(script: Uint8Array): Uint8Array | undefined {
  if (script[0] !== Op.RETURN) return undefined;
  return readOp(script, 1)?.data;
}

function output(value: bigint, scriptPubKey: Uint8Array): TxOut {
  return { value, scriptPubKey, tokenId: 0 };
}

function paid(outputs: readonly TxOut[]): bigint {
  return outputs.reduce((sum, { value }) => sum + value, 0n);
}

function fee(inputs: number, outputs: readonly TxOut[], feeRate: bigint): bigint {
  const lengths = compactSizeLength(inputs) + compactSizeLength(outputs.length);
  const size = 8 + lengths + INPUT_SIZE * inputs + outputs.reduce((sum, each) => sum + sizeOf(each), 0);
  return (BigInt(size) * feeRate) / 1000n;
}

function anchorScript({ anchor: { address } }: AnchorParams): Uint8Array {
  const payload = decodeBase58Check(address);
  if (!payload) throw new RangeError('the parameters of the network have no address of anchors');
  return scriptOf({ type: 'pkh', hash: payload.subarray(1) });
}

function keyScript({ secret, compressed }: PrivateKey): Uint8Array {
  return scriptOf({ type: 'pkh', hash: hash160(publicKeyOf(secret, compressed)) });
}

function spend(tx: TransactionFields, index: number, inputs: readonly FundingInput[]): Uint8Array {
  const { key } = inputs[index] as FundingInput;
  const hash = legacySignatureHash({ tx, format: BITCOIN_FORMAT, input: index }, keyScript(key), SIGHASH_ALL);
  // The same deterministic signature without the first byte, by which the key is recovered.
  const signature = concatBytes(encodeDer(signCompact(hash, key.secret).subarray(1)), Uint8Array.of(SIGHASH_ALL));
  return buildScript(signature, publicKeyOf(key.secret, key.compressed));
}
