import type { PeerCertificate } from 'node:tls';
import { type AccessRules, type Caller, type RoleName, roleNamed } from './access.js';
import type { Role } from './options.js';

export interface CertificateRole {
  /** Attributes that the subject must have, e.g. `CN=alice,O=Example`; a comma in a value is escaped by a backslash. */
  readonly subject: string;
  readonly role: RoleName;
}

type Subject = PeerCertificate['subject'];

interface Rule {
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly role: Role;
}

/** Callers that authenticate with a client certificate instead of a password, identified by the subject of the certificate. */
export class CertificateRoles {
  readonly #rules: readonly Rule[];
  readonly #access: AccessRules;

  /** @throws {Error} for a subject that is no list of attributes */
  constructor(entries: readonly CertificateRole[], access: AccessRules) {
    this.#rules = entries.map(({ subject, role }) => ({ attributes: parseSubject(subject), role: roleNamed(role) }));
    this.#access = access;
  }

  /** @returns the lowest role of all rules that the subject matches; undefined if it matches none */
  callerOf(subject: Subject): Caller | undefined {
    const roles = this.#rules.filter(({ attributes }) => attributes.every((each) => has(subject, each))).map(({ role }) => role);
    const [role] = roles.sort();
    return role === undefined ? undefined : this.#access.callerOf(String(subject.CN ?? ''), role);
  }
}

function parseSubject(text: string): Rule['attributes'] {
  return text.split(/(?<!\\),/).map((attribute) => {
    const [, name, value] = /^\s*([A-Za-z.0-9]+)=(.+)$/.exec(attribute) ?? [];
    if (name === undefined || value === undefined) throw new Error(`not the subject of a certificate, as CN=<name>: '${text}'`);
    return [name, value.replaceAll('\\,', ',')] as const;
  });
}

/** True if the subject has an attribute, which may occur several times. */
function has(subject: Subject, [name, value]: readonly [string, string]): boolean {
  const found: unknown = (subject as unknown as Readonly<Record<string, unknown>>)[name];
  return Array.isArray(found) ? found.includes(value) : found === value;
}
