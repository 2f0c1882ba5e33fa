import assert from 'node:assert/strict';
import { getToken, type TokenFields, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import { createToken } from '../../../../src/dfi/tokens/transactions.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import { type DfiFixture, dfi, heights, type Sent, script } from '../fixture.js';

export const COIN = 100_000_000n;
export const owner = script(1);
/** Upgrades of the first tokens. */
export const early = heights({ amk: 0 });
export const bayfront = heights({ amk: 0, bayfront: 0 });
export const foundation = early.scripts.foundationMembers[0] as Uint8Array;
export const gold: TokenFields = { symbol: 'GOLD', name: 'gold', decimal: 8, limit: 0n, flags: TokenFlag.mintable | TokenFlag.tradeable };
export const asset: TokenFields = { ...gold, flags: gold.flags | TokenFlag.dat };

/** Fee and collateral of the owner's new token. */
export const paid: Sent = { value: COIN, outputs: [dfi(10n * COIN, owner)] };

/** @returns error text, or undefined */
export function create(fixture: DfiFixture, fields = gold, sent: Sent = paid): string | undefined {
  return fixture.failure(createToken, fields, sent);
}

/** Creation transaction of the token with this id. */
export function creationOf(fixture: DfiFixture, id: number): Hash256 {
  const token = getToken(fixture.view, id);
  assert.ok(token);
  return token.creationTx;
}
