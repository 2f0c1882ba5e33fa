import type { PeerCertificate } from 'node:tls';
import { type AccessRules, type Caller, type RoleName, roleNamed } from './access.js';
import type { Role } from './options.js';

export interface CertificateRole {
  /** Attributes that the subject has, e.g. `CN=alice,O=Example`; a comma in a value stands behind a backslash. */
  readonly subject: string;
  readonly role: RoleName;
}

type Subject = PeerCertificate['subject'];

interface Rule {
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly role: Role;
}

/** Clients that log in with a certificate instead of a password, by the subject that their authority has signed. */
export class CertificateRoles {
  readonly #rules: readonly Rule[];
  readonly #access: AccessRules;

  /** @throws {Error} for a subject that is no list of attributes */
  constructor(entries: readonly CertificateRole[], access: AccessRules) {
    this.#rules = entries.map(({ subject, role }) => ({ attributes: parseSubject(subject), role: roleNamed(role) }));
    this.#access = access;
  }

  /** @returns undefined for a subject that no rule fits; of several rules that fit the smallest role */
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

/** An attribute may occur several times. */
function has(subject: Subject, [name, value]: readonly [string, string]): boolean {
  const found: unknown = (subject as unknown as Readonly<Record<string, unknown>>)[name];
  return Array.isArray(found) ? found.includes(value) : found === value;
}
