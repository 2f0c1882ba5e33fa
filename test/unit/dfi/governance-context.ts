import { Accounts } from '../../../src/dfi/accounts/columns.js';
import type { AnyCustomTx, TxContext } from '../../../src/dfi/context/custom-tx.js';
import { putToken, TokenFlag } from '../../../src/dfi/tokens/columns.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { UPGRADES } from '../../../src/params/upgrades.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { fromHex } from '../../../src/util/bytes.js';

/** Regtest on which every upgrade is active from the start. */
export const allActive: NetworkParams = networkParams({
  network: 'regtest',
  upgradeHeights: Object.fromEntries(UPGRADES.map((upgrade) => [upgrade, 0])),
});

export function emptyState(): Overlay {
  return new Overlay(new MemoryStore());
}

export interface Moment {
  readonly view: Overlay;
  readonly height?: number;
  readonly time?: number;
  readonly params?: NetworkParams;
  /** Script of the output that the transaction spends; by default that of a foundation member. */
  readonly owner?: Uint8Array;
  readonly txid?: Uint8Array;
}

/** Runs a custom transaction from the hex after its type byte. */
export function runTx(definition: AnyCustomTx, hex: string, moment: Moment): void {
  const { view, height = 100, time = 1_700_000_000, params = allActive, txid = new Uint8Array(32).fill(7) } = moment;
  const owner = moment.owner ?? params.scripts.foundationMembers[0] ?? new Uint8Array();
  const overlay = new Overlay(view);
  const out = { value: 0n, scriptPubKey: owner, tokenId: 0 };
  const context = {
    view: overlay,
    accounts: new Accounts(overlay),
    height,
    time,
    params,
    tx: { txid, vout: [{ value: 0n, scriptPubKey: new Uint8Array(), tokenId: 0 }] },
    txIndex: 1,
    spent: [{ out }],
    coin: () => undefined,
    blockTime: () => undefined,
  } as unknown as TxContext;
  definition.run(fromHex(hex), context);
  overlay.commit();
}

export function addAsset(view: Overlay, id: number, symbol: string, flags = 0): void {
  putToken(view, id, {
    symbol,
    name: symbol,
    decimal: 8,
    limit: 0n,
    flags: TokenFlag.dat | TokenFlag.tradeable | flags,
    minted: 0n,
    creationTx: new Uint8Array(32).fill(id),
    destructionTx: NULL_HASH,
    creationHeight: 0,
    destructionHeight: -1,
  });
}
