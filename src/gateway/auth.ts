import type { Socket } from 'node:net';
import type { Rejected } from '../metrics/rpc.js';
import type { Caller } from '../rpc/access.js';
import { toNodeError } from '../rpc/errors.js';
import type { LoginThrottle } from '../rpc/login-throttle.js';
import { NodeError } from '../util/errors.js';
import { type MaybePromise, withValue } from '../util/slicer.js';

/** Verification of an `Authorization` header. */
export interface CredentialCheck {
  /** @returns undefined for wrong credentials; a promise if another node checks them @throws {NodeError} if they cannot be checked now */
  check(authorization: string): MaybePromise<Caller | undefined>;
}

/** Result of the log-in of a request. */
export type Admission =
  | { readonly caller: Caller }
  /** `due` resolves when the refusal may be sent; undefined means immediately. */
  | { readonly refusal: NodeError; readonly due?: Promise<void> };

/** Credentials that a connection has proved. A comparison with them needs no constant time: the client knows them already. */
interface Proof {
  readonly authorization: string;
  readonly caller: Caller;
}

/**
 * Authenticates requests before their bodies are read. Missing credentials are refused immediately, because clients learn the scheme that
 * way; wrong ones after a delay, which slows down guessing.
 * @see docs/protocol/rpc-chain.md 1.2, 1.3
 */
export class Authenticator {
  readonly #proven = new WeakMap<Socket, Proof>();

  constructor(
    readonly credentials: CredentialCheck,
    readonly throttle: Pick<LoginThrottle, 'mayTry' | 'failed'>,
    readonly rejected: Rejected,
  ) {}

  /** Checks the credentials of a request, once per connection. */
  admit(authorization: string | undefined, socket: Socket): MaybePromise<Admission> {
    if (authorization === undefined) return this.#refuse(undefined);
    const proven = this.#proven.get(socket);
    if (proven?.authorization === authorization) return proven;
    if (!this.throttle.mayTry(socket.remoteAddress)) {
      this.rejected('unauthenticated');
      return { refusal: new NodeError('resource-exhausted', 'Too many failed log-ins') };
    }
    try {
      const checked = withValue(this.credentials.check(authorization), (caller) => this.#admission(authorization, caller, socket));
      return checked instanceof Promise ? checked.catch(refusalOf) : checked;
    } catch (error) {
      return refusalOf(error);
    }
  }

  /**
   * Checks credentials in advance. Wrong ones are not counted here, and a check by another node is not waited for.
   * @returns true if `admit` decides without delay
   */
  decidesAtOnce(authorization: string | undefined, socket: Socket): boolean {
    if (authorization === undefined || this.#proven.get(socket)?.authorization === authorization) return true;
    if (!this.throttle.mayTry(socket.remoteAddress)) return false;
    try {
      const caller = this.credentials.check(authorization);
      // `admit` joins a check that is running, and receives its error.
      if (caller instanceof Promise) caller.catch(() => undefined);
      else if (caller) this.#proven.set(socket, { authorization, caller });
      return caller !== undefined && !(caller instanceof Promise);
    } catch {
      return false;
    }
  }

  /** Makes the next request of the connection be checked again, after an upstream node has rejected its credentials. */
  forget(socket: Socket): void {
    this.#proven.delete(socket);
  }

  #admission(authorization: string, caller: Caller | undefined, socket: Socket): Admission {
    if (!caller) return this.#refuse(this.throttle.failed(socket.remoteAddress));
    const proof = { authorization, caller };
    this.#proven.set(socket, proof);
    return proof;
  }

  #refuse(due: Promise<void> | undefined): Admission {
    this.rejected('unauthenticated');
    const refusal = new NodeError('unauthenticated', 'wrong or missing credentials');
    return due ? { refusal, due } : { refusal };
  }
}

function refusalOf(error: unknown): Admission {
  return { refusal: toNodeError(error) };
}
