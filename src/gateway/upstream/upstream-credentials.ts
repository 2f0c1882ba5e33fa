import { createHash } from 'node:crypto';
import type { GetAccessResponse } from '../../../gen/ts/dfi/node/v1/control.js';
import { type Caller, roleNamed } from '../../rpc/access.js';
import type { CallContext } from '../../rpc/handler.js';
import { Role } from '../../rpc/options.js';
import { type ErrorKind, NodeError } from '../../util/errors.js';
import { Lru } from '../../util/lru.js';
import type { MaybePromise } from '../../util/slicer.js';
import type { CredentialCheck } from '../auth.js';

/** Asks the other node for the rights of the credentials' owner. */
export type Probe = (call: CallContext & { readonly authorization: string }) => Promise<Partial<GetAccessResponse>>;

interface Accepted {
  readonly caller: Caller;
  readonly atMs: number;
}

/** Time for which credentials that the node accepted are not asked for again. Calls carry them to the node all the same. */
const ACCEPTED_FOR_MS = 10_000;
const MOST_ACCEPTED = 1000;
/** Checks that may wait for the node at one time. */
const MOST_UNDER_WAY = 100;
const TIMEOUT_MS = 5000;

/** Errors that say nothing about the credentials. */
const UNDECIDED: ReadonlySet<ErrorKind> = new Set(['unavailable', 'resource-exhausted', 'deadline-exceeded', 'cancelled']);

/**
 * Has the node behind the gateway check credentials before the gateway reads a body: each pair with a cheap call, of which any
 * answer but "unauthenticated" accepts it. The gateway refuses by the rights that the node tells; where it tells none, as to a user
 * whose whitelist lacks the question, the node refuses, since it gets the credentials again with every call.
 */
export class UpstreamCredentials implements CredentialCheck {
  /** Pairs that the node has accepted, by digest. */
  readonly #accepted = new Lru<string, Accepted>(MOST_ACCEPTED);
  readonly #underWay = new Map<string, Promise<Caller | undefined>>();

  constructor(
    readonly probe: Probe,
    /** Monotonic clock, ms. */
    readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws {NodeError} where the node cannot be reached or too many checks wait for it */
  check(authorization: string): MaybePromise<Caller | undefined> {
    const user = userOf(authorization);
    if (user === undefined) return undefined;
    const digest = createHash('sha256').update(authorization).digest('base64');
    const accepted = this.#accepted.get(digest);
    if (accepted && this.now() - accepted.atMs < ACCEPTED_FOR_MS) return accepted.caller;
    return this.#ask(digest, authorization, user);
  }

  /** One question for all requests that arrive with the same pair meanwhile. */
  #ask(digest: string, authorization: string, user: string): Promise<Caller | undefined> {
    const asked = this.#underWay.get(digest);
    if (asked) return asked;
    if (this.#underWay.size >= MOST_UNDER_WAY) throw new NodeError('resource-exhausted', 'Too many log-ins at one time');
    const answer = this.#decide(authorization, user)
      .then((caller) => {
        if (caller) this.#accepted.set(digest, { caller, atMs: this.now() });
        return caller;
      })
      .finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, answer);
    return answer;
  }

  async #decide(authorization: string, user: string): Promise<Caller | undefined> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return callerOf(
        user,
        await this.probe({ dialect: 'document', requestId: 'log-in', user: undefined, wallet: undefined, signal, authorization }),
      );
    } catch (error) {
      if (signal.aborted) throw new NodeError('unavailable', 'The node behind this gateway does not answer', { cause: error });
      if (!(error instanceof NodeError) || UNDECIDED.has(error.kind)) throw error;
      return error.kind === 'unauthenticated' ? undefined : callerOf(user, {});
    }
  }
}

function callerOf(user: string, { role = '', whitelisted = false, methods = [] }: Partial<GetAccessResponse>): Caller {
  return { user, role: roleNamed(role) ?? Role.ADMIN, methods: whitelisted ? new Set(methods) : undefined };
}

/** Name in a well-formed pair of name and password. */
function userOf(authorization: string): string | undefined {
  if (!authorization.startsWith('Basic ')) return undefined;
  const text = Buffer.from(authorization.slice('Basic '.length).trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(0, colon);
}
