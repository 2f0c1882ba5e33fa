import { type Codec, compactSize } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { type AttributeKey, attributeText, storedAttributeKey, wireAttributeKey } from './key.js';
import { type AttributeForm, type AttributeValue, attributeValue, type ValueOf } from './value.js';

/** Attributes that are set. Rules go through them in the order of these keys. */
export const attributes: Column<AttributeKey, AttributeValue> = { name: 'dfi/attribute', key: storedAttributeKey, value: attributeValue };

export interface AttributeEntry {
  readonly key: AttributeKey;
  readonly value: AttributeValue;
}

/** Reads attributes, wherever they are. */
export interface AttributeSource {
  get(key: AttributeKey): AttributeValue | undefined;
}

/** The attributes of a state. */
export function storedAttributes(view: StateView): AttributeSource {
  return { get: (key) => view.get(attributes, key) };
}

/** Value of an attribute if it is set and has this form. */
export function valueAs<Form extends AttributeForm>(source: AttributeSource, key: AttributeKey, form: Form): ValueOf<Form> | undefined {
  const found = source.get(key);
  return found?.form === form ? (found.value as ValueOf<Form>) : undefined;
}

export function* listAttributes(view: StateView): Generator<AttributeEntry> {
  for (const [key, value] of view.entries(attributes)) yield { key, value };
}

/** What a message carries of attributes; an entry of the version that was never used has no key. */
export type GivenAttributes = readonly { readonly key: AttributeKey | undefined; readonly value: AttributeValue }[];

/** Count, then keys and values; of equal keys the first counts. */
export const givenAttributes: Codec<GivenAttributes> = {
  write(w, entries) {
    compactSize.write(w, entries.length);
    for (const { key, value } of entries) {
      wireAttributeKey.write(w, key);
      attributeValue.write(w, value);
    }
  },
  read(r) {
    const found = new Map<string, GivenAttributes[number]>();
    for (let left = compactSize.read(r); left > 0; left--) {
      const key = wireAttributeKey.read(r);
      const value = attributeValue.read(r);
      const text = key ? attributeText(key) : '\xff';
      if (!found.has(text)) found.set(text, { key, value });
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  },
};

/** The attributes of a state with changes that are not in it yet. */
export class AttributeDraft implements AttributeSource {
  readonly #entries = new Map<string, AttributeEntry>();
  readonly #changed = new Map<string, AttributeKey>();

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

  /** In the order of keys. */
  entries(): AttributeEntry[] {
    return [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  }

  /** Writes what was changed, and only that. */
  write(view: WritableView): void {
    for (const [text, key] of this.#changed) {
      const entry = this.#entries.get(text);
      if (entry) view.put(attributes, key, entry.value);
      else view.delete(attributes, key);
    }
  }
}
