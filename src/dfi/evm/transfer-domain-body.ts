import { type Codec, list, struct, u8, varBytes } from '../../primitives/codec.js';
import { type TokenAmount, tokenAmount } from '../kernel/amounts.js';

/** Numbers of the domains in messages. */
export const Domain = { dvm: 2, evm: 3 } as const;

/** One side of a transfer. */
export interface TransferItem {
  /** Script of the account. */
  readonly address: Uint8Array;
  readonly amount: TokenAmount;
  readonly domain: number;
  /** Raw EVM transaction, on the EVM side only. */
  readonly data: Uint8Array;
}

/** Message of the custom transaction. Rules accept exactly one transfer. */
export interface TransferDomain {
  readonly transfers: readonly { readonly src: TransferItem; readonly dst: TransferItem }[];
}

const item: Codec<TransferItem> = struct<TransferItem>({ address: varBytes, amount: tokenAmount, domain: u8, data: varBytes });

export const transferDomainBody: Codec<TransferDomain> = struct<TransferDomain>({
  transfers: list(struct<TransferDomain['transfers'][number]>({ src: item, dst: item })),
});
