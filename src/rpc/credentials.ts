import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AccessRules, Caller } from './access.js';

/** Credentials by which users authenticate, from the configuration. */
export interface CredentialOptions {
  /** Ignored if the password is empty. */
  readonly rpcUser: string;
  readonly rpcPassword: string;
  /** `-rpcauth` entries: `<user>:<salt>$<hash>`; others are ignored. */
  readonly rpcAuth: readonly string[];
  /** Content of the cookie file, `__cookie__:<64 hex>`; used if there is no password. */
  readonly cookie: string | undefined;
}

/** User of `-rpcauth`, and the keyed hash of the password. */
export interface AuthEntry {
  readonly user: string;
  readonly salt: string;
  readonly hash: string;
}

/** Parses an entry of `-rpcauth`; undefined if it is malformed, and then ignored as in `defid`. */
export function parseRpcAuth(entry: string): AuthEntry | undefined {
  const [user, salt, hash, ...rest] = entry.split(/[:$]/);
  return user === undefined || salt === undefined || hash === undefined || rest.length > 0 ? undefined : { user, salt, hash };
}

/** Checks credentials, for HTTP and gRPC, in constant time (docs/protocol/rpc-chain.md 1.3). */
export class Credentials {
  readonly #expected: string | undefined;
  readonly #entries: readonly AuthEntry[];

  constructor(
    { rpcUser, rpcPassword, rpcAuth, cookie }: CredentialOptions,
    readonly access: AccessRules,
  ) {
    this.#expected = rpcPassword === '' ? cookie : `${rpcUser}:${rpcPassword}`;
    this.#entries = rpcAuth.flatMap((entry) => parseRpcAuth(entry) ?? []);
  }

  /**
   * @param authorization value of the header or metadata key, e.g. `Basic <base64 of user:password>`
   * @returns undefined for wrong credentials
   */
  check(authorization: string): Caller | undefined {
    if (!authorization.startsWith('Basic ')) return undefined;
    const userAndPassword = Buffer.from(authorization.slice('Basic '.length).trim(), 'base64').toString('utf8');
    const colon = userAndPassword.indexOf(':');
    if (colon < 0) return undefined;
    const user = userAndPassword.slice(0, colon);
    const isExpected = this.#expected !== undefined && sameText(userAndPassword, this.#expected);
    const isListed = this.#isListed(user, userAndPassword.slice(colon + 1));
    return isExpected || isListed ? this.access.callerOf(user) : undefined;
  }

  /** Compares with every entry, so that the time does not reveal which users exist. */
  #isListed(user: string, password: string): boolean {
    let found = false;
    for (const entry of this.#entries) {
      const hash = createHmac('sha256', entry.salt).update(password).digest('hex');
      const isSame = sameText(hash, entry.hash);
      found = (sameText(user, entry.user) && isSame) || found;
    }
    return found;
  }
}

/** Compares in a time that depends on the lengths alone. */
function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8')];
  if (left.length !== right.length) {
    timingSafeEqual(left, left);
    return false;
  }
  return timingSafeEqual(left, right);
}
