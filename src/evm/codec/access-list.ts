import { DecodeError } from '../../primitives/codec.js';
import { eachInSteps, type Steps, UnitCount } from '../../util/slicer.js';
import type { AccessListItem } from '../execute.js';
import { ADDRESS_SIZE, addressBytes, WORD_SIZE, writeWord } from '../words.js';
import { bytesOf, EncodedRlp, firstItemsOf, isList, itemsIn, listSize, sizedWord, writeListStart } from './rlp.js';

/** Prefixes of items of 20 and of 32 bytes. */
const ADDRESS_PREFIX = 0x80 + ADDRESS_SIZE;
const KEY_PREFIX = 0x80 + WORD_SIZE;
const ADDRESS_ITEM = 1 + ADDRESS_SIZE;
const KEY_ITEM = 1 + WORD_SIZE;
const EMPTY = new EncodedRlp(Uint8Array.of(0xc0));

/** Decodes an access list as leniently as `defid`. @throws {DecodeError} @see docs/protocol/evm-engine.md 5.1 */
export function* decodeAccessList(item: Uint8Array | undefined): Steps<readonly AccessListItem[]> {
  const list: AccessListItem[] = [];
  const units = new UnitCount();
  for (const access of listed(item)) {
    const [address, keys] = firstItemsOf(access, 2);
    list.push({ address: sizedWord(bytesOf(address), ADDRESS_SIZE), keys: yield* decodeKeys(keys, units) });
    if (units.add()) yield;
  }
  return list;
}

function* decodeKeys(item: Uint8Array | undefined, units: UnitCount): Steps<readonly bigint[]> {
  const keys: bigint[] = [];
  yield* eachInSteps(listed(item), (key) => keys.push(sizedWord(bytesOf(key), WORD_SIZE)), units);
  return keys;
}

/** Items of a list. As in `defid`, bytes in its place count as an empty one. @throws {DecodeError} if there is no item */
function listed(item: Uint8Array | undefined): Iterable<Uint8Array> {
  if (!item) throw new DecodeError('RLP item expected');
  return isList(item) ? itemsIn(item) : [];
}

/** Canonical encoding of an access list. */
export function* encodeAccessList(list: readonly AccessListItem[]): Steps<EncodedRlp> {
  if (list.length === 0) return EMPTY;
  const size = list.reduce((sum, access) => sum + listSize(contentSize(access)), 0);
  const bytes = new Uint8Array(listSize(size));
  const view = new DataView(bytes.buffer);
  let at = writeListStart(bytes, 0, size);
  const units = new UnitCount();
  for (const access of list) {
    at = writeListStart(bytes, at, contentSize(access));
    bytes[at] = ADDRESS_PREFIX;
    bytes.set(addressBytes(access.address), at + 1);
    at = writeListStart(bytes, at + ADDRESS_ITEM, KEY_ITEM * access.keys.length);
    if (units.add()) yield;
    for (const key of access.keys) {
      bytes[at] = KEY_PREFIX;
      writeWord(view, at + 1, key);
      at += KEY_ITEM;
      if (units.add()) yield;
    }
  }
  return new EncodedRlp(bytes);
}

/** Bytes of the encoded address and keys. */
function contentSize({ keys }: AccessListItem): number {
  return ADDRESS_ITEM + listSize(KEY_ITEM * keys.length);
}
