import { type Codec, compactSize } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { type AttributeKey, attributeText, storedAttributeKey, wireAttributeKey } from './key.js';
import { type AttributeKind, type AttributeValue, attributeValue, type ValueOf, wireAttributeValue } from './value.js';

/** Attributes that are set. Governance checks and applies them in the order of the keys, which is consensus. */
export const attributes: Column<AttributeKey, AttributeValue> = { name: 'dfi/attribute', key: storedAttributeKey, value: attributeValue };

export interface AttributeEntry {
  readonly key: AttributeKey;
  readonly value: AttributeValue;
}

/** Read access to attributes: of a state, or of a draft. */
export interface AttributeSource {
  get(key: AttributeKey): AttributeValue | undefined;
}

/** Attributes of a state. */
export function storedAttributes(view: StateView): AttributeSource {
  return { get: (key) => view.get(attributes, key) };
}

/** Value of an attribute; undefined if it is unset or of another kind. */
export function valueAs<Kind extends AttributeKind>(source: AttributeSource, key: AttributeKey, kind: Kind): ValueOf<Kind> | undefined {
  const found = source.get(key);
  return found?.kind === kind ? (found.value as ValueOf<Kind>) : undefined;
}

/** Iterates the attributes of a state in the order of their keys. */
export function* listAttributes(view: StateView): Generator<AttributeEntry> {
  for (const [key, value] of view.entries(attributes)) yield { key, value };
}

/** Attributes in a message. The key is undefined for the reserved version 1, which has no content. */
export type MessageAttributes = readonly { readonly key: AttributeKey | undefined; readonly value: AttributeValue }[];

/** Count, then keys and values. Of equal keys the first counts. */
export const messageAttributes: Codec<MessageAttributes> = {
  write(w, entries) {
    compactSize.write(w, entries.length);
    for (const { key, value } of entries) {
      wireAttributeKey.write(w, key);
      wireAttributeValue.write(w, value);
    }
  },
  read(r) {
    const found = new Map<string, MessageAttributes[number]>();
    for (let left = compactSize.read(r); left > 0; left--) {
      const key = wireAttributeKey.read(r);
      const value = wireAttributeValue.read(r);
      const text = key ? attributeText(key) : '\xff';
      if (!found.has(text)) found.set(text, { key, value });
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  },
};

/** Copy of a state's attributes with uncommitted changes; {@link write} commits them. */
export class AttributeDraft implements AttributeSource {
  readonly #entries = new Map<string, AttributeEntry>();
  readonly #changed = new Map<string, AttributeKey>();

  /** Draft with the attributes of a state. */
  static of(view: StateView): AttributeDraft {
    const draft = new AttributeDraft();
    for (const entry of listAttributes(view)) draft.#entries.set(attributeText(entry.key), entry);
    return draft;
  }

  get(key: AttributeKey): AttributeValue | undefined {
    return this.#entries.get(attributeText(key))?.value;
  }

  set(key: AttributeKey, value: AttributeValue): void {
    const text = attributeText(key);
    this.#entries.set(text, { key, value });
    this.#changed.set(text, key);
  }

  delete(key: AttributeKey): void {
    const text = attributeText(key);
    this.#entries.delete(text);
    this.#changed.set(text, key);
  }

  /** Attributes in the order of their keys. */
  entries(): AttributeEntry[] {
    return [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  }

  /** Writes changed and deleted attributes; others in the state are not touched. */
  write(view: WritableView): void {
    for (const [text, key] of this.#changed) {
      const entry = this.#entries.get(text);
      if (entry) view.put(attributes, key, entry.value);
      else view.delete(attributes, key);
    }
  }
}
