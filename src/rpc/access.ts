import { NodeError } from '../util/errors.js';
import type { Operation } from './catalogue.js';
import { Role } from './options.js';

/** A user and the calls it may make. */
export interface Caller {
  readonly user: string;
  readonly role: Role;
  /** Methods that the user's whitelists allow; undefined if no whitelist applies. The role has to allow the method too. */
  readonly methods?: ReadonlySet<string> | undefined;
}

const roles = { read: Role.READ, spend: Role.SPEND, admin: Role.ADMIN } as const;
export type RoleName = keyof typeof roles;

/** Role of a name such as `spend`; undefined for any other text. */
export function roleNamed(name: RoleName): Role;
export function roleNamed(name: string): Role | undefined;
export function roleNamed(name: string): Role | undefined {
  return Object.hasOwn(roles, name) ? roles[name as RoleName] : undefined;
}

export function roleNameOf(role: Role): RoleName {
  return role >= Role.ADMIN ? 'admin' : role === Role.SPEND ? 'spend' : 'read';
}

export interface AccessOptions {
  /** `-rpcwhitelist`: entries of the form `<user>:<method 1>,<method 2>`. */
  readonly whitelists: readonly string[];
  /** `-rpcwhitelistdefault`: a user without a whitelist may call nothing. If undefined: true if there is any whitelist. */
  readonly whitelistDefault: boolean | undefined;
  /** `-rpcauthrole`: the lowest role of a user applies; a user without one is an administrator. */
  readonly roles: readonly { readonly user: string; readonly role: RoleName }[];
}

const NOTHING: ReadonlySet<string> = new Set();

/** Rights of users: roles, and the whitelists of Bitcoin Core. */
export class AccessRules {
  readonly #whitelists: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #isDenied: boolean;
  readonly #roles = new Map<string, Role>();

  constructor({ whitelists, whitelistDefault, roles }: AccessOptions) {
    this.#whitelists = parseWhitelists(whitelists);
    this.#isDenied = whitelistDefault ?? whitelists.length > 0;
    for (const { user, role } of roles) {
      const configured = roleNamed(role);
      const known = this.#roles.get(user);
      if (known === undefined || configured < known) this.#roles.set(user, configured);
    }
  }

  /** @param role of a user who authenticates by other means than a password; by default the role configured for the name */
  callerOf(user: string, role: Role = this.#roles.get(user) ?? Role.ADMIN): Caller {
    const methods = this.#whitelists.get(user) ?? (this.#isDenied ? NOTHING : undefined);
    return { user, role, methods };
  }
}

/** Methods by user. Several lists of one user allow the methods that all of them name. Names are separated by commas or spaces. */
function parseWhitelists(entries: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const lists = new Map<string, ReadonlySet<string>>();
  for (const entry of entries) {
    const colon = entry.indexOf(':');
    const user = colon < 0 ? entry : entry.slice(0, colon);
    const known = lists.get(user);
    const named = colon < 0 ? known : new Set(entry.slice(colon + 1).split(/[, ]/));
    lists.set(user, new Set([...(named ?? NOTHING)].filter((name) => name !== '' && (known?.has(name) ?? true))));
  }
  return lists;
}

/** Reason for which a caller may not call a method. */
function denial(method: string, op: Operation | undefined, { role, methods }: Caller): string | undefined {
  if (methods && !methods.has(method)) return 'The method is not allowed for these credentials';
  // An operation that declares no role needs the highest; a method that is no operation needs none.
  const needed = !op ? Role.UNSPECIFIED : op.role || Role.ADMIN;
  return role < needed ? `${method} needs another role than these credentials have` : undefined;
}

/**
 * Checks the rights of a caller, for every transport before it looks at arguments.
 * @param op undefined for a method that is no operation
 * @throws {NodeError} `permission-denied`
 */
export function requireAccess(method: string, op: Operation | undefined, caller: Caller): void {
  const reason = denial(method, op, caller);
  if (reason !== undefined) throw new NodeError('permission-denied', reason);
}

/** True if a caller has the right to call an operation. */
export function mayCall(op: Operation, caller: Caller): boolean {
  return denial(op.name, op, caller) === undefined;
}

/** Names of the operations that a caller may run. */
export function allowedMethods(operations: readonly Operation[], caller: Caller): string[] {
  return operations.filter((op) => mayCall(op, caller)).map(({ name }) => name);
}
