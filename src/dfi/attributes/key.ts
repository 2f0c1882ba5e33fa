import { type Codec, DecodeError, encode, i32, struct, u8, u32, u32be, varInt32 } from '../../primitives/codec.js';

/** Names an attribute by numbers; {@link formatPath} has the text. All of 32 bits, the type of 8. */
export interface AttributeKey {
  readonly type: number;
  /** What of the type: a token, a pool, or the code of a name. */
  readonly id: number;
  readonly key: number;
  /** Token that a token is paid back with; 0 for all other attributes. */
  readonly keyId: number;
}

/** Code of a letter: attributes are numbered with letters. */
export function letter(text: string): number {
  return text.charCodeAt(0);
}

const TOKEN = letter('t');
const LOAN_PAYBACK = letter('c');
const LOAN_PAYBACK_FEE = letter('d');

/** Whether the attribute has a fifth part. */
export function hasKeyId({ type, key }: Pick<AttributeKey, 'type' | 'key'>): boolean {
  return type === TOKEN && (key === LOAN_PAYBACK || key === LOAN_PAYBACK_FEE);
}

const CURRENT_VERSION = 0;
const RESERVED_VERSION = 1;

/**
 * As messages carry it: version in 4 bytes, type, id in 4 bytes, key as VARINT, then a token in 4 bytes where the key has one. Of the
 * version that was never used, nothing follows: undefined.
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
    if (version !== CURRENT_VERSION) throw new DecodeError('unknown version of an attribute');
    const found = { type: u8.read(r), id: u32.read(r), key: varInt32.read(r) };
    return { ...found, keyId: hasKeyId(found) ? u32.read(r) : 0 };
  },
};

/** As the store keeps it: in the order in which attributes are listed, checked and applied. */
export const storedAttributeKey: Codec<AttributeKey> = struct<AttributeKey>({ type: u8, id: u32be, key: u32be, keyId: u32be });

/** Key as a text that is equal for equal keys and sorts as attributes do. */
export function attributeText(key: AttributeKey): string {
  return Buffer.from(encode(storedAttributeKey, key)).toString('latin1');
}
