import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { COIN } from '../../../src/primitives/amount.js';
import { Invoker } from '../../../src/rpc/invoke.js';
import { accountsHandlers } from '../../../src/services/accounts/index.js';
import { getBlock } from '../../../src/services/blockchain/blocks/blocks.js';
import { getBlockHash } from '../../../src/services/blockchain/chain/tip.js';
import { setGov, setGovHeight, unsetGov } from '../../../src/services/blockchain/governance/changes.js';
import { getGov, listGovs } from '../../../src/services/blockchain/governance/variables.js';
import { clearMempool } from '../../../src/services/blockchain/mempool.js';
import { icxHandlers } from '../../../src/services/icx/index.js';
import { loansHandlers } from '../../../src/services/loans/index.js';
import { nodeHandlers } from '../../../src/services/node/index.js';
import { oraclesHandlers } from '../../../src/services/oracles/index.js';
import { poolsHandlers } from '../../../src/services/pools/index.js';
import { proposalsHandlers } from '../../../src/services/proposals/index.js';
import { vaultsHandlers } from '../../../src/services/vaults/index.js';
import { walletHandlers } from '../../../src/services/wallet/index.js';
import { rawWalletHandlers } from '../../../src/services/wallet/spend/fund-raw.js';
import { admitWalletCall } from '../../../src/services/wallet/wallets/admission.js';
import { silentLogger } from '../../../src/util/logger.js';
import type { WalletSettings } from '../../../src/wallet/options.js';
import { Wallets, type WalletsDeps } from '../../../src/wallet/wallets/manager.js';
import { type ServiceNode, startServices } from '../service-node.js';

export const regtest = networkParams({ network: 'regtest' });

export const defaultWalletSettings: WalletSettings = {
  keypoolSize: 2,
  addressType: 'p2sh-segwit',
  changeType: undefined,
  payFeeRate: 0n,
  minFeeRate: 1_000n,
  fallbackFeeRate: 20_000n,
  discardFeeRate: 10_000n,
  maxFee: COIN / 10n,
  confirmTarget: 6,
  spendUnconfirmedChange: true,
  replaceable: false,
  rejectLongChains: false,
  avoidPartialSpends: false,
  coinSearch: { fast: false, skipSolvable: false, eager: false },
  broadcast: true,
};

export interface WalletNode extends ServiceNode {
  readonly wallets: Wallets;
  /** Result as a JSON value; an error as its code and text. */
  call(method: string, args?: readonly unknown[], wallet?: string): Promise<unknown>;
  /** Mints blocks to an address, a minute apart. */
  mint(count: number, address: unknown): Promise<void>;
  /** New wallet manager over the same chain and directory, as after a restart. */
  restart(): Promise<WalletNode>;
  /** New wallet manager over the same chain, in another directory that `end` removes. */
  reopen(directory: string): Promise<WalletNode>;
  end(): Promise<void>;
}

/** Node options that wallet operations depend on. */
export interface WalletNodeOptions {
  /** -dvmownerskipcheck */
  readonly ownAccountsOnly: boolean;
  /** -acindex */
  readonly keepsHistory: boolean;
  /** -rpcserialversion=1 */
  readonly showsWitness: boolean;
  /** -walletoutside */
  readonly allowsOutside: boolean;
  readonly lockDirectory: WalletsDeps['lockDirectory'];
  /** Owners that the wallets impersonate; absent on networks that do not allow it. */
  readonly impersonated?: WalletsDeps['impersonated'];
  readonly report?: WalletsDeps['report'];
  /** Wallet directory; a new one by default. */
  readonly directory: string;
}

/** In-memory node with wallets in a directory of their own. */
export async function startWalletNode(
  settings: Partial<WalletSettings> = {},
  names: readonly string[] = [''],
  params: NetworkParams = regtest,
  options: Partial<WalletNodeOptions> = {},
): Promise<WalletNode> {
  const { directory = mkdtempSync(join(tmpdir(), 'wallets-')) } = options;
  const usual = {
    directory,
    ownAccountsOnly: true,
    keepsHistory: true,
    showsWitness: true,
    allowsOutside: false,
    lockDirectory: async () => async () => {},
  };
  const all = { ...usual, ...options };
  return over(startServices(params, { operate: [0], showsWitness: all.showsWitness }), directory, settings, names, all);
}

async function over(
  node: ServiceNode,
  directory: string,
  settings: Partial<WalletSettings>,
  names: readonly string[],
  options: WalletNodeOptions,
): Promise<WalletNode> {
  const { chain, clock, mempool } = node.modules;
  const deps = { chain: node.chain, mempool: mempool as never, clock, log: silentLogger, feesDecide: true };
  const all = {
    ...deps,
    settings: { ...defaultWalletSettings, ...settings },
    lockDirectory: options.lockDirectory,
    impersonated: options.impersonated,
    report: options.report,
    passphraseCost: { logN: 10, passes: 1 },
  };
  const wallets = new Wallets({ directory, allowsOutside: options.allowsOutside }, all);
  await wallets.loadConfigured(names);
  await wallets.filling;
  const invoker = node.modules.calls;
  if (!(invoker instanceof Invoker)) throw new Error('the node has no invoker of its own');
  const modules = { wallets, chain: chain as never, mempool: mempool as never, clock, showsWitness: options.showsWitness, deprecated: [] };
  invoker.bind('dfi.wallet.v1.WalletService', walletHandlers, modules);
  invoker.bind('dfi.rawtransactions.v1.RawtransactionsService', rawWalletHandlers, modules);
  const stateModules = { chain: node.chain, clock, wallets, keepsHistory: options.keepsHistory };
  const { ownAccountsOnly } = options;
  const domainModules = { ...stateModules, singleKeyTransfers: true, ownAccountsOnly };
  invoker.bind('dfi.accounts.v1.AccountsService', accountsHandlers, domainModules);
  invoker.bind('dfi.node.v1.NodeService', nodeHandlers, { ...node.modules, wallets });
  invoker.bind('dfi.oracles.v1.OraclesService', oraclesHandlers, stateModules);
  invoker.bind('dfi.node.v1.PoolsService', poolsHandlers, stateModules);
  invoker.bind('dfi.node.v1.LoansService', loansHandlers, stateModules);
  invoker.bind('dfi.node.v1.VaultsService', vaultsHandlers, { ...stateModules, keepsVaultHistory: true });
  invoker.bind('dfi.node.v1.ProposalsService', proposalsHandlers, {
    ...stateModules,
    acceptsNeutralVotes: undefined,
    stopping: node.modules.stopping,
  });
  invoker.bind('dfi.node.v1.IcxService', icxHandlers, stateModules);
  invoker.bind('dfi.blockchain.v1.BlockchainService', { clearMempool }, { wallets, mempool: mempool as never });
  invoker.bind('dfi.blockchain.v1.BlockchainService', { getGov, listGovs, setGov, setGovHeight, unsetGov }, stateModules);
  invoker.bind('dfi.blockchain.v1.BlockchainService', { getBlock, getBlockHash }, modules);
  invoker.setAdmission((op, call) => admitWalletCall(op, call, wallets));
  const call = async (method: string, args: readonly unknown[] = [], wallet?: string): Promise<unknown> => {
    const text = await node.ask(method, JSON.stringify(args), { wallet });
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  const mint = async (count: number, address: unknown): Promise<void> => {
    for (let i = 0; i < count; i++) {
      clock.setMockTime(clock.seconds() + 60);
      const minted = await call('generatetoaddress', [1, address]);
      if (minted !== 1) throw new Error(`minting: ${String(minted)}`);
    }
  };
  const end = async (): Promise<void> => {
    await wallets.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const restart = async (): Promise<WalletNode> => {
    await wallets.stop();
    return over(node, directory, settings, names, options);
  };
  const reopen = (another: string): Promise<WalletNode> => over(node, another, settings, names, options);
  return { ...node, wallets, call, mint, restart, reopen, end };
}
