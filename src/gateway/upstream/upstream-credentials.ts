import { createHash } from 'node:crypto';
import type { GetAccessResponse } from '../../../gen/ts/dfi/node/v1/control.js';
import { type Caller, roleNamed } from '../../rpc/access.js';
import type { CallContext } from '../../rpc/handler.js';
import { Role } from '../../rpc/options.js';
import { type ErrorKind, NodeError } from '../../util/errors.js';
import { Lru } from '../../util/lru.js';
import type { MaybePromise } from '../../util/slicer.js';
import type { CredentialCheck } from '../auth.js';

/** Calls getaccess of the upstream node with the credentials of the call. */
export type Probe = (call: CallContext & { readonly authorization: string }) => Promise<Partial<GetAccessResponse>>;

interface Accepted {
  readonly caller: Caller;
  readonly atMs: number;
}

/** Time for which accepted credentials are not checked again. Each call passes them to the node in any case. */
const ACCEPTED_FOR_MS = 10_000;
const MAX_ACCEPTED = 1000;
/** Maximum number of running checks. */
const MAX_RUNNING = 100;
const TIMEOUT_MS = 5000;

/** Errors that do not depend on the credentials. */
const UNDECIDED: ReadonlySet<ErrorKind> = new Set(['unavailable', 'resource-exhausted', 'deadline-exceeded', 'cancelled']);

/**
 * Lets the upstream node check credentials before the gateway reads a body, by a cheap call. Any answer except "unauthenticated" accepts
 * them. The gateway enforces the rights in the answer. If it has none, for example because the whitelist of the user lacks getaccess, the
 * node enforces them, because it receives the credentials with every call.
 */
export class UpstreamCredentials implements CredentialCheck {
  /** Credentials that the node has accepted, by digest. */
  readonly #accepted = new Lru<string, Accepted>(MAX_ACCEPTED);
  readonly #running = new Map<string, Promise<Caller | undefined>>();

  constructor(
    readonly probe: Probe,
    /** Monotonic clock, ms. */
    readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws {NodeError} if the node cannot be reached or too many checks are running; the promise rejects in the same way */
  check(authorization: string): MaybePromise<Caller | undefined> {
    const user = userOf(authorization);
    if (user === undefined) return undefined;
    const digest = createHash('sha256').update(authorization).digest('base64');
    const accepted = this.#accepted.get(digest);
    if (accepted && this.now() - accepted.atMs < ACCEPTED_FOR_MS) return accepted.caller;
    return this.#startCheck(digest, authorization, user);
  }

  /** Starts a check, or joins the running one of the same credentials. */
  #startCheck(digest: string, authorization: string, user: string): Promise<Caller | undefined> {
    const running = this.#running.get(digest);
    if (running) return running;
    if (this.#running.size >= MAX_RUNNING) throw new NodeError('resource-exhausted', 'Too many log-ins at one time');
    const answer = this.#decide(authorization, user)
      .then((caller) => {
        if (caller) this.#accepted.set(digest, { caller, atMs: this.now() });
        return caller;
      })
      .finally(() => this.#running.delete(digest));
    this.#running.set(digest, answer);
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

/** User name of a well-formed Basic `Authorization` header; undefined for any other. */
function userOf(authorization: string): string | undefined {
  if (!authorization.startsWith('Basic ')) return undefined;
  const text = Buffer.from(authorization.slice('Basic '.length).trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(0, colon);
}
