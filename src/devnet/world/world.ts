import type { NetworkParams } from '../../params/network.js';
import { type DevAccount, devAccounts } from '../accounts.js';
import { COLLATERALS, foundMarket, foundPools, LOAN_TOKENS, PRICE_INTERVAL, PRICES, priceList } from './market.js';
import { type Call, Script } from './script.js';

/** Blocks until the coins of the genesis block can be spent. */
const MATURITY = 101;
/** DFI of each account: for the fees of the script, then in outputs, in the account of its native address, and on its EVM address. */
const DFI = { fees: '10', outputs: '10000', account: '5000', evm: '100' } as const;

const ATTRIBUTES = {
  'v0/params/feature/gov': 'true',
  // Blocks in which masternodes vote about the proposal.
  'v0/gov/proposals/voting_period': '1000',
} as const;
const EVM_ATTRIBUTES = {
  'v0/params/feature/icx': 'true',
  'v0/params/feature/evm': 'true',
  'v0/params/feature/transferdomain': 'true',
} as const;
const TRANSFER_ATTRIBUTES = { 'v0/transferdomain/dvm-evm/dat-enabled': 'true', 'v0/transferdomain/evm-dvm/dat-enabled': 'true' } as const;

/** Domains of `transferdomain`. */
const NATIVE = 2;
const EVM = 3;

export interface WorldOptions {
  /** False for a node without EVM, as `defid` 3.2.8. */
  readonly hasEvm?: boolean;
}

/**
 * Makes the world of a development network on its genesis block, by calls of operations alone: ten funded accounts, tokens, pools, an
 * oracle, loans, a vault, an auction, an order and a proposal.
 * @param now seconds since 1970
 */
export async function makeWorld(call: Call, params: NetworkParams, now: number, { hasEvm = true }: WorldOptions = {}): Promise<void> {
  const { genesis } = params.masternode;
  const [first, second] = genesis;
  if (!first || !second) throw new Error('this network has no genesis masternodes');
  const accounts = devAccounts(params);
  const script = new Script(call, first.ownerAddress, now);
  // The founder is the only foundation member of the wallet, so that it owns the tokens.
  await script.calls(['importprivkey', first.ownerKey, 'founder'], ['importprivkey', first.operatorKey, 'minter']);
  await script.call('importprivkey', second.operatorKey, 'oracle');
  for (const [index, { key }] of accounts.entries()) await script.call('importprivkey', key, `account ${index}`);
  await script.mine(MATURITY);
  await fundOutputs(script, accounts, DFI.fees);
  const oracle = await foundMarket(script, second.operatorAddress);
  await script.call('setgov', { ATTRIBUTES: hasEvm ? { ...ATTRIBUTES, ...EVM_ATTRIBUTES } : ATTRIBUTES });
  await foundPools(script);
  if (hasEvm) await script.call('setgov', { ATTRIBUTES: TRANSFER_ATTRIBUTES });
  await fundAccounts(script, accounts);
  await openVaults(script, accounts);
  if (hasEvm) await fundEvm(script, accounts);
  await openOrders(script, accounts);
  // The rise of a price liquidates the second vault.
  await script.call('setoracledata', oracle, script.time, priceList(PRICES));
  // The wallet may pay any call with the coins of any account, so these are sent when no call comes after them.
  await fundOutputs(script, accounts, DFI.outputs);
  await script.mineTo(PRICE_INTERVAL);
  await script.mineTo(PRICE_INTERVAL);
  for (const { ownerKey } of genesis.slice(1)) await call('importprivkey', ownerKey, 'masternode');
  await call('setmocktime', 0);
}

/** Sends every account an output of this amount. */
async function fundOutputs(script: Script, accounts: readonly DevAccount[], amount: string): Promise<void> {
  await script.call('sendmany', '', Object.fromEntries(accounts.map(({ address }) => [address, amount])));
}

/** Gives every account tokens of all kinds. */
async function fundAccounts(script: Script, accounts: readonly DevAccount[]): Promise<void> {
  const tokens = [...COLLATERALS, ...LOAN_TOKENS].map(({ symbol, each }) => `${each}@${symbol}`);
  const amounts = [`${DFI.account}@DFI`, ...tokens];
  await script.call('accounttoaccount', script.founder, Object.fromEntries(accounts.map(({ address }) => [address, amounts])));
  await script.mine();
}

/** A safe vault of the first account with a loan, and one of the second whose loan only just has enough collateral. */
async function openVaults(script: Script, [one, two]: readonly DevAccount[]): Promise<void> {
  const owners = [one, two].map((account) => account?.address ?? '');
  const [safe, risky] = [await script.send('createvault', owners[0], 'MIN150'), await script.send('createvault', owners[1], 'MIN150')];
  await script.mine();
  await script.calls(['deposittovault', safe, owners[0], '2000@DFI'], ['deposittovault', risky, owners[1], '1000@DFI']);
  await script.mineTo(PRICE_INTERVAL);
  await script.mineTo(PRICE_INTERVAL);
  await script.calls(
    ['takeloan', { vaultId: safe, to: owners[0], amounts: ['500@DUSD', '2@TSLA'] }],
    ['takeloan', { vaultId: risky, to: owners[1], amounts: ['7.5@TSLA'] }],
  );
  await script.mine();
}

async function fundEvm(script: Script, accounts: readonly DevAccount[]): Promise<void> {
  const amount = `${DFI.evm}@DFI`;
  for (const { address, evmAddress } of accounts) {
    await script.call('transferdomain', [{ src: { address, amount, domain: NATIVE }, dst: { address: evmAddress, amount, domain: EVM } }]);
  }
  await script.mine();
}

/** An order of BTC on this chain for BTC on Bitcoin, and a proposal of the community fund. */
async function openOrders(script: Script, accounts: readonly DevAccount[]): Promise<void> {
  const [, , , third, fourth] = accounts;
  if (!third || !fourth) throw new Error('too few accounts');
  const order = { tokenFrom: 'BTC', chainTo: 'BTC', ownerAddress: third.address, receivePubkey: third.publicKey };
  await script.calls(
    ['setgov', { ICX_TAKERFEE_PER_BTC: '0.001' }],
    ['icx_createorder', { ...order, amountFrom: '0.5', orderPrice: '1', expiry: 1_000_000 }],
    [
      'creategovcfp',
      {
        title: 'A playground for the park',
        context: 'https://example.org/playground',
        amount: '1000',
        cycles: 2,
        payoutAddress: fourth.address,
      },
    ],
  );
  await script.mine();
}
