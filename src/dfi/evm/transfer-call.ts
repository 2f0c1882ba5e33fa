import { keccak256 } from '../../crypto/keccak.js';
import { addressWord, readWord, WORD_SIZE, wordBytes } from '../../evm/words.js';
import { DecodeError } from '../../primitives/codec.js';
import { EVM_ADDRESS_SIZE } from '../../script/erc55.js';
import { concatBytes, equalBytes } from '../../util/bytes.js';

/** Arguments of a call of the transfer contract. @see docs/protocol/evm.md 3.4 */
export interface TransferCall {
  /** DST20 contract of the token; undefined for DFI. */
  readonly contract: bigint | undefined;
  readonly from: bigint;
  readonly to: bigint;
  readonly wei: bigint;
  /** Address text of the DVM side. */
  readonly native: string;
}

function selectorOf(signature: string): Uint8Array {
  return keccak256(Buffer.from(signature, 'ascii')).subarray(0, SELECTOR_SIZE);
}

const SELECTOR_SIZE = 4;
const TRANSFER = selectorOf('transfer(address,address,uint256,string)');
const TRANSFER_TOKEN = selectorOf('transferDST20(address,address,address,uint256,string)');

/** ABI encoding: selector, then one word per argument. The word of the text is the offset of its length and bytes. */
export function encodeTransferCall({ contract, from, to, wei, native }: TransferCall): Uint8Array {
  const text = Buffer.from(native, 'utf8');
  const words = [...(contract === undefined ? [] : [contract]), from, to].map(wordBytes);
  const textAt = wordBytes(BigInt(WORD_SIZE * (words.length + 2)));
  const selector = contract === undefined ? TRANSFER : TRANSFER_TOKEN;
  const padding = new Uint8Array((WORD_SIZE - (text.length % WORD_SIZE)) % WORD_SIZE);
  return concatBytes(selector, ...words, wordBytes(wei), textAt, wordBytes(BigInt(text.length)), text, padding);
}

/** True if the bytes call the function for DFI or, with `ofToken`, that for tokens. */
export function isTransferCall(data: Uint8Array, ofToken: boolean): boolean {
  return equalBytes(data.subarray(0, SELECTOR_SIZE), ofToken ? TRANSFER_TOKEN : TRANSFER);
}

/**
 * Decodes the arguments as leniently as `defid`: bytes after them and the upper bytes of addresses are ignored.
 * @throws {DecodeError} if bytes are missing
 */
export function decodeTransferCall(data: Uint8Array, ofToken: boolean): TransferCall {
  const body = data.subarray(SELECTOR_SIZE);
  const first = ofToken ? 1 : 0;
  return {
    contract: ofToken ? addressAt(body, 0) : undefined,
    from: addressAt(body, first),
    to: addressAt(body, first + 1),
    wei: readWord(wordAt(body, WORD_SIZE * (first + 2)), 0),
    native: textAt(body, sizeAt(body, WORD_SIZE * (first + 3))),
  };
}

function wordAt(body: Uint8Array, at: number): Uint8Array {
  if (at + WORD_SIZE > body.length) throw new DecodeError('Invalid data');
  return body.subarray(at, at + WORD_SIZE);
}

function addressAt(body: Uint8Array, word: number): bigint {
  return addressWord(wordAt(body, WORD_SIZE * word).subarray(WORD_SIZE - EVM_ADDRESS_SIZE));
}

/** Offset or length, which must not exceed the bytes. */
function sizeAt(body: Uint8Array, at: number): number {
  const size = readWord(wordAt(body, at), 0);
  if (size > BigInt(body.length)) throw new DecodeError('Invalid data');
  return Number(size);
}

function textAt(body: Uint8Array, at: number): string {
  const size = sizeAt(body, at);
  const start = at + WORD_SIZE;
  if (start + size > body.length) throw new DecodeError('Invalid data');
  return size === 0 ? '' : Buffer.from(body.subarray(start, start + size)).toString('utf8');
}
