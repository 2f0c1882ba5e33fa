import type { Socket } from 'node:net';
import type { Logger } from '../util/logger.js';

/** Whom credentials belong to. */
export interface Caller {
  readonly user: string;
}

/** Narrow view of `rpc/credentials.ts`. */
export interface CredentialCheck<C extends Caller = Caller> {
  check(authorization: string): C | undefined;
}

export type Admission<C extends Caller = Caller> = { readonly caller: C } | { readonly refusedAfterMs: number };

type Peer = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/**
 * Decides who may call. No credentials are refused at once, since that is how clients ask which scheme is wanted; wrong ones only
 * after a delay, which slows down guessing. spec: rpc-chain 1.2, 1.3
 */
export class Authenticator<C extends Caller = Caller> {
  constructor(
    readonly credentials: CredentialCheck<C>,
    readonly delayMs: number,
    readonly log: Logger,
  ) {}

  admit(authorization: string | undefined, peer: Peer): Admission<C> {
    if (authorization === undefined) return { refusedAfterMs: 0 };
    const caller = this.credentials.check(authorization);
    if (caller) return { caller };
    this.log.warn('incorrect password attempt', { peer: `${peer.remoteAddress}:${peer.remotePort}` });
    return { refusedAfterMs: this.delayMs };
  }
}
