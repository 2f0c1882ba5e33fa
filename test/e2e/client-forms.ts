import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Type of a value in the declarations of a client. */
export type Form =
  | { readonly kind: 'string' | 'number' | 'boolean' | 'any' | 'nothing' }
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'list' | 'record'; readonly of: Form }
  | { readonly kind: 'object'; readonly members: Members; readonly base?: string | undefined }
  | { readonly kind: 'union'; readonly of: readonly Form[] }
  | { readonly kind: 'name'; readonly name: string; readonly of: readonly Form[] };

interface Member {
  readonly form: Form;
  readonly isOptional: boolean;
}

type Members = ReadonlyMap<string, Member>;

/** Declarations of a client: what its methods return, by `Class.method`, and types by name. */
export interface ClientForms {
  readonly methods: ReadonlyMap<string, Form>;
  readonly types: ReadonlyMap<string, Form>;
}

/** Reads the declarations of the API classes of `@defichain/whale-api-client`. */
export function whaleForms(): ClientForms {
  const entry = createRequire(import.meta.url).resolve('@defichain/whale-api-client');
  const folder = join(dirname(entry), 'api');
  const files = readdirSync(folder).filter((name) => name.endsWith('.d.ts'));
  const methods = new Map<string, Form>();
  const types = new Map<string, Form>();
  for (const name of files) new Declarations(readFileSync(join(folder, name), 'utf8')).read(methods, types);
  return { methods, types };
}

const TOKENS = /[A-Za-z_$][\w$]*|'[^']*'|"[^"]*"|\d+|=>|\S/g;
const COMMENTS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

/** Parser of the part of TypeScript that declarations of data consist of. */
class Declarations {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.replace(COMMENTS, '').match(TOKENS) ?? [];
  }

  read(methods: Map<string, Form>, types: Map<string, Form>): void {
    while (this.#at < this.#tokens.length) {
      const word = this.#next();
      if (word === 'interface') types.set(this.#next(), this.#interface());
      else if (word === 'enum') types.set(this.#next(), this.#enum());
      else if (word === 'type') types.set(this.#next(), this.#alias());
      else if (word === 'class') this.#class(this.#next(), methods);
    }
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? '';
  }

  #skip(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#at += 1;
    return true;
  }

  #require(token: string): void {
    if (!this.#skip(token)) throw new Error(`the declarations have ${this.#peek()} in place of ${token}`);
  }

  #interface(): Form {
    const base = this.#skip('extends') ? this.#next() : undefined;
    return { ...this.#primary(), base } as Form;
  }

  #enum(): Form {
    this.#require('{');
    const of: Form[] = [];
    while (!this.#skip('}')) {
      this.#at += 1;
      this.#require('=');
      of.push(this.#primary());
      this.#skip(',');
    }
    return { kind: 'union', of };
  }

  #alias(): Form {
    this.#require('=');
    return this.#union();
  }

  /** Methods alone: other members are `private readonly client` and the constructor. */
  #class(name: string, methods: Map<string, Form>): void {
    this.#require('{');
    while (!this.#skip('}')) {
      const member = this.#next();
      if (member === 'private') while (this.#peek() !== ';') this.#at += 1;
      else {
        if (this.#peek() === '<') this.#skipTo('>');
        this.#skipTo(')');
        if (this.#skip(':')) methods.set(`${name}.${member}`, this.#union());
      }
      this.#require(';');
    }
  }

  /** Skips a part in brackets that ends with that token. */
  #skipTo(close: string): void {
    const open = this.#next();
    for (let depth = 1; depth > 0; ) {
      const token = this.#next();
      if (token === open) depth += 1;
      if (token === close) depth -= 1;
    }
  }

  #union(): Form {
    const of = [this.#listed()];
    while (this.#skip('|')) of.push(this.#listed());
    return of.length === 1 ? (of[0] as Form) : { kind: 'union', of };
  }

  #listed(): Form {
    let form = this.#primary();
    while (this.#skip('[')) {
      this.#require(']');
      form = { kind: 'list', of: form };
    }
    return form;
  }

  #primary(): Form {
    const token = this.#next();
    if (token === '{') return this.#members();
    if (token === '(') {
      const inside = this.#union();
      this.#require(')');
      return inside;
    }
    if (/^['"]/.test(token)) return { kind: 'literal', value: token.slice(1, -1) };
    if (/^\d/.test(token)) return { kind: 'literal', value: Number(token) };
    if (token === 'string' || token === 'number' || token === 'boolean') return { kind: token };
    if (token === 'void' || token === 'undefined') return { kind: 'nothing' };
    return this.#named(token);
  }

  #members(): Form {
    const members = new Map<string, Member>();
    while (!this.#skip('}')) {
      if (this.#peek() === '[') {
        this.#skipTo(']');
        this.#require(':');
        const of = this.#union();
        this.#require(';');
        this.#require('}');
        return { kind: 'record', of };
      }
      const name = this.#next();
      const isOptional = this.#skip('?');
      this.#require(':');
      members.set(name, { form: this.#union(), isOptional });
      this.#require(';');
    }
    return { kind: 'object', members };
  }

  #named(name: string): Form {
    const of: Form[] = [];
    // A member of an enumeration: the enumeration is close enough.
    if (this.#skip('.')) this.#at += 1;
    if (this.#skip('<')) {
      do of.push(this.#union());
      while (this.#skip(','));
      this.#require('>');
    }
    if (name === 'Promise') return of[0] as Form;
    if (name === 'Array' || name === 'ApiPagedResponse') return { kind: 'list', of: of[0] as Form };
    if (name === 'Record') return { kind: 'record', of: of[1] as Form };
    return { kind: 'name', name, of };
  }
}

/** Decimal texts, by the words of docs/protocol/ocean.md 0.5, and other texts of one form. */
const TEXTS = {
  fixed8: /^-?\d+\.\d{8}$/,
  plain: /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/,
  hash: /^[0-9a-f]{64}$/,
} as const;

export type TextForm = keyof typeof TEXTS;

/** Compares values with declarations. */
export class FormCheck {
  /** Members that were seen with a value, as `Type.member`. */
  readonly seen = new Set<string>();
  /** Names of texts whose form was checked. */
  readonly checked = new Set<string>();

  /** @param texts forms of texts by `Type.member` */
  constructor(
    readonly forms: ClientForms,
    readonly texts: Readonly<Record<string, TextForm>>,
  ) {}

  /** @param name of the value in the result @returns differences from the declaration */
  faults(form: Form, value: unknown, name: string): string[] {
    switch (form.kind) {
      case 'any':
        return [];
      case 'nothing':
        return value === undefined ? [] : [`${name} is ${JSON.stringify(value)} in place of nothing`];
      case 'string':
      case 'number':
      case 'boolean':
        return typeof value === form.kind
          ? this.#textFaults(value, name)
          : [`${name} is ${JSON.stringify(value)} in place of a ${form.kind}`];
      case 'literal':
        return value === form.value ? [] : [`${name} is ${JSON.stringify(value)} in place of ${form.value}`];
      case 'list':
        if (!Array.isArray(value)) return [`${name} is no list`];
        return value.flatMap((each) => this.faults(form.of, each, name));
      case 'record':
        if (!isObject(value)) return [`${name} is no object`];
        return Object.values(value).flatMap((each) => this.faults(form.of, each, `${name}.*`));
      case 'union': {
        const each = form.of.map((of) => this.faults(of, value, name));
        return each.some((faults) => faults.length === 0) ? [] : (each.sort((a, b) => a.length - b.length)[0] ?? []);
      }
      case 'object':
        return this.#memberFaults(this.#membersOf(form), value, name);
      case 'name': {
        const type = this.forms.types.get(form.name);
        if (!type) return [];
        return this.faults(type, value, type.kind === 'object' ? form.name : name);
      }
    }
  }

  #textFaults(value: unknown, name: string): string[] {
    const form = this.texts[name];
    if (form === undefined) return [];
    this.checked.add(name);
    return typeof value === 'string' && TEXTS[form].test(value) ? [] : [`${name} is ${JSON.stringify(value)}, not ${form}`];
  }

  /** Members with those of the type that it extends. */
  #membersOf({ members, base }: Form & { readonly kind: 'object' }): Members {
    const below = base === undefined ? undefined : this.forms.types.get(base);
    return below?.kind === 'object' ? new Map([...this.#membersOf(below), ...members]) : members;
  }

  /** Names of all members of the types that results consist of, as `Type.member`. */
  membersOfResults(): Set<string> {
    const names = new Set<string>();
    const visited = new Set<string>();
    const visit = (form: Form, name: string): void => {
      if (form.kind === 'list' || form.kind === 'record') visit(form.of, form.kind === 'list' ? name : `${name}.*`);
      if (form.kind === 'union') for (const each of form.of) visit(each, name);
      if (form.kind === 'object') {
        for (const [member, { form: inside }] of this.#membersOf(form)) {
          names.add(`${name}.${member}`);
          visit(inside, `${name}.${member}`);
        }
      }
      const type = form.kind === 'name' && !visited.has(form.name) ? this.forms.types.get(form.name) : undefined;
      if (form.kind === 'name' && type) {
        visited.add(form.name);
        visit(type, form.name);
      }
    };
    for (const [method, form] of this.forms.methods) visit(form, method);
    return names;
  }

  #memberFaults(members: Members, value: unknown, name: string): string[] {
    if (!isObject(value)) return [`${name} is ${JSON.stringify(value)} in place of an object`];
    const unknown = Object.keys(value).filter((member) => !members.has(member));
    const faults = [...members].flatMap(([member, { form, isOptional }]) => {
      const path = `${name}.${member}`;
      const given = value[member];
      if (given === undefined) return isOptional ? [] : [`${path} is missing`];
      this.seen.add(path);
      return this.faults(form, given, path);
    });
    return [...faults, ...unknown.map((member) => `${name}.${member} is not declared`)];
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
