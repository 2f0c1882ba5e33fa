import type { Socket } from 'node:net';
import type { Caller, Credentials } from '../rpc/credentials.js';
import type { Logger } from '../util/logger.js';
import type { Rejected } from './rejected.js';

export type CredentialCheck = Pick<Credentials, 'check'>;

export type Admission = { readonly caller: Caller } | { readonly refusedAfterMs: number };

/**
 * Decides who may call. No credentials are refused at once, since that is how clients ask which scheme is wanted; wrong ones only
 * after a delay, which slows down guessing. spec: rpc-chain 1.2, 1.3
 */
export class Authenticator {
  /** What each connection last proved to know. Comparing with that in any way tells its client nothing new. */
  readonly #proven = new WeakMap<Socket, { readonly authorization: string; readonly caller: Caller }>();

  constructor(
    readonly credentials: CredentialCheck,
    readonly delayMs: number,
    readonly log: Logger,
    readonly rejected: Rejected,
  ) {}

  admit(authorization: string | undefined, socket: Socket): Admission {
    if (authorization === undefined) return this.#refuse(0);
    const proven = this.#proven.get(socket);
    if (proven?.authorization === authorization) return proven;
    const caller = this.credentials.check(authorization);
    if (!caller) {
      this.log.warn('incorrect password attempt', { peer: `${socket.remoteAddress}:${socket.remotePort}` });
      return this.#refuse(this.delayMs);
    }
    const admission = { authorization, caller };
    this.#proven.set(socket, admission);
    return admission;
  }

  #refuse(afterMs: number): Admission {
    this.rejected('unauthenticated');
    return { refusedAfterMs: afterMs };
  }
}
