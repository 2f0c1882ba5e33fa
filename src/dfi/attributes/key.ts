import { type Codec, encode, i32, struct, u8, u32, u32be } from '../../primitives/codec.js';
import { varInt32 } from '../../primitives/var-int.js';

/** Numeric key of an attribute; `formatPath` returns its text. Numbers have 32 bits, the type has 8. */
export interface AttributeKey {
  readonly type: number;
  /** Id of a token or pool, or the code of a group. */
  readonly id: number;
  readonly key: number;
  /** Id of the token that a loan of token `id` is paid back with; 0 for all other attributes. */
  readonly keyId: number;
}

/** Code of a letter. `defid` numbers attribute types, groups and keys with letters. */
export function letter(text: string): number {
  return text.charCodeAt(0);
}

const TOKEN = letter('t');
const LOAN_PAYBACK = letter('c');
const LOAN_PAYBACK_FEE = letter('d');

/** True for attributes whose path has a fifth part. */
export function hasKeyId({ type, key }: Pick<AttributeKey, 'type' | 'key'>): boolean {
  return type === TOKEN && (key === LOAN_PAYBACK || key === LOAN_PAYBACK_FEE);
}

const CURRENT_VERSION = 0;
const RESERVED_VERSION = 1;
/** Key that `defid` reads for a version that it does not know, and 3.2.8 for a text in the place of a number. It exists on no network. */
export const NO_ATTRIBUTE: AttributeKey = { type: 0, id: 0, key: 0, keyId: 0 };

/**
 * Wire form: version in 4 bytes, type in 1, id in 4, key as VARINT, then `keyId` in 4 bytes if the key has one. The reserved version 1
 * has no content and reads as undefined; nor have unknown versions.
 * @see docs/protocol/oracles-governance.md 4.1
 */
export const wireAttributeKey: Codec<AttributeKey | undefined> = {
  write(w, key) {
    i32.write(w, key ? CURRENT_VERSION : RESERVED_VERSION);
    if (!key) return;
    w.u8(key.type);
    w.u32(key.id);
    varInt32.write(w, key.key);
    if (hasKeyId(key)) w.u32(key.keyId);
  },
  read(r) {
    const version = i32.read(r);
    if (version === RESERVED_VERSION) return undefined;
    if (version !== CURRENT_VERSION) return NO_ATTRIBUTE;
    const found = { type: u8.read(r), id: u32.read(r), key: varInt32.read(r) };
    return { ...found, keyId: hasKeyId(found) ? u32.read(r) : 0 };
  },
};

/** Stored form. Its byte order is the order in which attributes are listed, checked and applied. */
export const storedAttributeKey: Codec<AttributeKey> = struct<AttributeKey>({ type: u8, id: u32be, key: u32be, keyId: u32be });

/** Stored form of the key as a string of one char per byte: map key and sort key. */
export function attributeText(key: AttributeKey): string {
  return Buffer.from(encode(storedAttributeKey, key)).toString('latin1');
}
