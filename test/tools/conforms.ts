import type { Catalogue } from '../../src/rpc/catalogue.js';
import { type DescField, Presence, ScalarType } from '../../src/rpc/descriptor-fields.js';
import type { DescMessage } from '../../src/rpc/descriptors.js';
import { wireName } from '../../src/rpc/names.js';
import { Format } from '../../src/rpc/options.js';
import { integerRange } from '../../src/rpc/scalars.js';
import { JsonNumber, JsonObject, type JsonValue, kindOf } from '../../src/util/json.js';

/** Compares the JSON of a result with the message that its operation declares: names, their order, presence and kinds. */
export class Conformance {
  readonly #catalogue: Catalogue;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** @returns place and reason of the first mismatch between value and message; undefined if there is none */
  check(desc: DescMessage, value: JsonValue, path = ''): string | undefined {
    if (desc.typeName.startsWith('google.protobuf.')) return undefined;
    const shape = this.#catalogue.options.shape(desc);
    if (shape.inline) return this.#inline(desc, value, path);
    if (shape.text) return typeof value === 'string' ? undefined : `${path}: text expected, not ${kindOf(value)}`;
    if (shape.tuple) return this.#tuple(desc, value, path);
    if (desc.fields.length === 0 && value === null) return undefined;
    if (!(value instanceof JsonObject)) return `${path}: object expected, not ${kindOf(value)}`;
    return this.#members(desc, value, path);
  }

  #inline(desc: DescMessage, value: JsonValue, path: string): string | undefined {
    if (value === null && (desc.oneofs.length > 0 || desc.fields[0]?.fieldKind === 'message')) return undefined;
    const reasons = desc.fields.map((field) => this.#field(field, value, path));
    if (reasons.includes(undefined)) return undefined;
    return reasons.join(', or ');
  }

  #tuple(desc: DescMessage, value: JsonValue, path: string): string | undefined {
    if (!Array.isArray(value) || value.length > desc.fields.length) return `${path}: array of up to ${desc.fields.length} expected`;
    return firstOf(value.map((item: JsonValue, i) => this.#field(desc.fields[i] as DescField, item, `${path}[${i}]`)));
  }

  #members(desc: DescMessage, value: JsonObject, path: string): string | undefined {
    const fields = this.#flattened(desc);
    const names = value.entries.map(([name]) => name);
    let next = 0;
    for (const field of fields) {
      if (field.fieldKind === 'map' && this.#catalogue.options.result(field).flatten) {
        next = names.length; // any names
        continue;
      }
      const name = wireName(field);
      if (names[next] === name) {
        const reason = this.#field(field, value.get(name) ?? null, `${path}.${name}`);
        if (reason !== undefined) return reason;
        next++;
      } else if (field.presence === Presence.IMPLICIT) {
        if (!names.includes(name)) return `${path}: no ${name}`;
        return `${path}: ${name} expected where ${names[next]} stands`;
      }
    }
    return next === names.length ? undefined : `${path}: ${names[next]} is unknown, or out of order`;
  }

  #flattened(desc: DescMessage): readonly DescField[] {
    const shown = desc.fields.filter((field) => this.#catalogue.options.shows(field, 'json-rpc'));
    return shown.flatMap((field) => {
      const { flatten } = this.#catalogue.options.result(field);
      return flatten && field.fieldKind === 'message' ? this.#flattened(field.message) : [field];
    });
  }

  #field(field: DescField, value: JsonValue, path: string): string | undefined {
    if (field.fieldKind === 'list') {
      if (!Array.isArray(value)) return `${path}: array expected, not ${kindOf(value)}`;
      return firstOf(value.map((item: JsonValue, i) => this.#element(field, item, `${path}[${i}]`)));
    }
    if (field.fieldKind === 'map') {
      if (!(value instanceof JsonObject)) return `${path}: object expected, not ${kindOf(value)}`;
      return firstOf(value.entries.map(([name, item]) => this.#element(field, item, `${path}.${name}`)));
    }
    return this.#element(field, value, path);
  }

  #element(field: DescField, value: JsonValue, path: string): string | undefined {
    if (field.message) return this.check(field.message, value, path);
    const scalar = field.scalar ?? ScalarType.STRING;
    const number = value instanceof JsonNumber ? value.text : undefined;
    switch (this.#catalogue.options.result(field).format) {
      case Format.AMOUNT:
        return number !== undefined && /^-?\d+\.\d{8}$/.test(number) ? undefined : `${path}: amount expected`;
      case Format.NUMBER_TEXT:
        return number !== undefined ? undefined : `${path}: number expected`;
    }
    if (scalar === ScalarType.STRING) return typeof value === 'string' ? undefined : `${path}: text expected, not ${kindOf(value)}`;
    if (scalar === ScalarType.BOOL) return typeof value === 'boolean' ? undefined : `${path}: bool expected, not ${kindOf(value)}`;
    if (number === undefined) return `${path}: number expected, not ${kindOf(value)}`;
    return integerRange(scalar) && !/^-?\d+$/.test(number) ? `${path}: integer expected, not ${number}` : undefined;
  }
}

function firstOf(reasons: readonly (string | undefined)[]): string | undefined {
  return reasons.find((reason) => reason !== undefined);
}
