import type { Socket } from 'node:net';
import type { Caller } from '../rpc/access.js';
import { toNodeError } from '../rpc/errors.js';
import type { LoginThrottle } from '../rpc/login-throttle.js';
import { NodeError } from '../util/errors.js';
import { type MaybePromise, withValue } from '../util/slicer.js';
import type { Rejected } from './rejected.js';

export interface CredentialCheck {
  /** @returns undefined for wrong credentials; a promise where another node checks them @throws {NodeError} if nobody can check them now */
  check(authorization: string): MaybePromise<Caller | undefined>;
}

export type Admission =
  | { readonly caller: Caller }
  /** `due` resolves when the refusal may be sent; undefined for at once. */
  | { readonly refusal: NodeError; readonly due?: Promise<void> };

/** What a connection last proved. Comparing with it, in any way, tells its client nothing new. */
interface Proof {
  readonly authorization: string;
  readonly caller: Caller;
}

/**
 * Decides who may call, before any of the body is read. Missing credentials are refused at once, since that is how clients ask
 * which scheme is wanted; wrong ones only after a delay, which slows down guessing. docs/protocol/rpc-chain.md 1.2, 1.3
 */
export class Authenticator {
  readonly #proven = new WeakMap<Socket, Proof>();

  constructor(
    readonly credentials: CredentialCheck,
    readonly throttle: Pick<LoginThrottle, 'mayTry' | 'failed'>,
    readonly rejected: Rejected,
  ) {}

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

  /** Has the connection's next request checked again: another node no longer accepts what it proved. */
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
