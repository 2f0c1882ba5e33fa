import type { ConnectContext } from '../../../src/chain/connect.js';
import type { Ancestor } from '../../../src/consensus/ancestry.js';
import type { CheckedBlock } from '../../../src/consensus/block.js';
import { blockSubsidy, foundationShare } from '../../../src/consensus/subsidy.js';
import { accountToAccount } from '../../../src/dfi/accounts/transactions.js';
import type { DefinedTx } from '../../../src/dfi/context/custom-tx.js';
import { takeLoan } from '../../../src/dfi/loans/transactions.js';
import { noMaxPrice } from '../../../src/dfi/pools/swap.js';
import { poolSwap } from '../../../src/dfi/pools/swap-transactions.js';
import { depositToVault } from '../../../src/dfi/vaults/collateral-transactions.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { UPGRADES } from '../../../src/params/upgrades.js';
import { COIN } from '../../../src/primitives/amount.js';
import { encode } from '../../../src/primitives/codec.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import { makeTransaction, type Transaction, type TxIn, type TxOut } from '../../../src/primitives/transaction.js';
import { customTxScript } from '../../../src/script/custom-tx.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';
import { DFI, DUSD } from './big-market.js';
import { coinTxid, ownerScript, type StateSizes, TIP_HEIGHT, TIP_TIME, vaultIdOf, vaultOwnerOf } from './big-state.js';

const TRANSFERS = 100;
const SWAPS = 20;
const DEPOSITS = 10;
const LOANS = 10;
const SPACING = 30;
/** Records in the history of a busy block, if all its transactions succeed: a transfer has two. */
export const BUSY_RECORDS = 2 * TRANSFERS + SWAPS + DEPOSITS + LOANS;

/** Regtest with the intervals of the main network, all upgrades active, and no proof of stake. */
export const bigParams: NetworkParams = networkParams({
  network: 'regtest',
  upgradeHeights: Object.fromEntries(UPGRADES.map((upgrade) => [upgrade, 1])),
  simulateMainnet: true,
  dummyPos: true,
});

export function timeOf(height: number): number {
  return TIP_TIME + SPACING * (height - TIP_HEIGHT);
}

function ancestorAt(height: number): Ancestor {
  return {
    height,
    version: 0x20000000,
    time: timeOf(height),
    bits: 0,
    get parent() {
      return height > 0 ? ancestorAt(height - 1) : undefined;
    },
    ancestor: (wanted) => (wanted >= 0 && wanted <= height ? ancestorAt(wanted) : undefined),
    medianTimePast: () => timeOf(height) - 5 * SPACING,
  };
}

export function contextAt(height: number): ConnectContext {
  return {
    height,
    parent: ancestorAt(height - 1),
    parentModifier: NULL_HASH,
    params: bigParams,
    blockTime: timeOf,
    blockHash: () => undefined,
    checkScripts: false,
    keepsHistory: true,
  };
}

function coinbase(height: number): Transaction {
  const input: TxIn = {
    prevout: { txid: NULL_HASH, vout: 0xffffffff },
    scriptSig: Buffer.alloc(5, height),
    sequence: 0xffffffff,
    witness: [],
  };
  const share = foundationShare(blockSubsidy(height, bigParams), height, bigParams);
  const vout: TxOut[] = [{ value: 0n, scriptPubKey: ownerScript(0, 1), tokenId: 0 }];
  if (share > 0n) vout.push({ value: share, scriptPubKey: bigParams.scripts.foundationShare, tokenId: 0 });
  return makeTransaction({ version: 4, vin: [input], vout, lockTime: height }, bigParams.txFormat);
}

function asBlock(height: number, transactions: readonly Transaction[]): CheckedBlock {
  const header = { ...bigParams.genesis.header, height: BigInt(height), time: timeOf(height) };
  const hash = Buffer.alloc(32, 9);
  hash.writeUInt32BE(height);
  return { ...bigParams.genesis, header, hash, transactions: [coinbase(height), ...transactions] } as unknown as CheckedBlock;
}

/** Block without transactions. */
export function emptyBlock(height: number): CheckedBlock {
  return asBlock(height, []);
}

/**
 * The n-th block of transfers, swaps and vault messages. No two blocks debit the same account, change the same vault or spend the same coin,
 * as long as there are {@link TRANSFERS} and {@link SWAPS} senders and as many vaults as messages for each of them.
 */
export function busyBlock(height: number, n: number, sizes: StateSizes): CheckedBlock {
  const { accounts } = sizes;
  const senders = TRANSFERS + SWAPS;
  let next = 0;
  // Spread over all owners.
  const someOwner = () => Math.floor((next++ * accounts) / senders) + n;
  const sent = <Body>(definition: DefinedTx<Body>, owner: number, body: Body, coin = owner): Transaction => {
    const data = customTxScript({ type: definition.type, body: definition.codec ? encode(definition.codec, body) : EMPTY_BYTES });
    const vin = [{ prevout: { txid: coinTxid(coin, sizes), vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] }];
    const vout = [
      { value: 0n, scriptPubKey: data, tokenId: 0 },
      { value: COIN - 10_000n, scriptPubKey: ownerScript(owner, accounts), tokenId: 0 },
    ];
    return makeTransaction({ version: 4, vin, vout, lockTime: 0 }, bigParams.txFormat);
  };
  const transactions: Transaction[] = [];
  for (let i = 0; i < TRANSFERS; i++) {
    const from = someOwner();
    const to = ownerScript((from + Math.floor(accounts / 2)) % accounts, accounts);
    transactions.push(
      sent(accountToAccount, from, { from: ownerScript(from, accounts), to: [{ owner: to, balances: [{ tokenId: DFI, amount: COIN }] }] }),
    );
  }
  for (let i = 0; i < SWAPS; i++) {
    const owner = someOwner();
    const from = ownerScript(owner, accounts);
    const maxPrice = noMaxPrice({ height, params: bigParams });
    transactions.push(sent(poolSwap, owner, { from, tokenFrom: DUSD, amountFrom: COIN, to: from, tokenTo: i % 2 ? DFI : 3 + i, maxPrice }));
  }
  for (let i = 0; i < DEPOSITS + LOANS; i++) {
    const vault = Math.floor((i * sizes.vaults) / (DEPOSITS + LOANS)) + n;
    const vaultId = vaultIdOf(vault, sizes);
    const owner = vaultOwnerOf(vault, sizes);
    const amount = { tokenId: DFI, amount: COIN };
    // The owner's second coin: the first may be spent by another transaction.
    const coin = owner + accounts;
    if (i < DEPOSITS) transactions.push(sent(depositToVault, owner, { vaultId, from: ownerScript(owner, accounts), amount }, coin));
    else transactions.push(sent(takeLoan, owner, { vaultId, to: EMPTY_BYTES, amounts: [{ tokenId: DUSD, amount: COIN }] }, coin));
  }
  return asBlock(height, transactions);
}
