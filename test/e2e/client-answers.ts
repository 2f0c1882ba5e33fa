import assert from 'node:assert/strict';
import { type ApiPagedResponse, WhaleApiException } from '@defichain/whale-api-client';
import { type Form, FormCheck, whaleForms } from './client-forms.js';
import { TEXTS } from './client-texts.js';
import type { Members } from './ocean-shapes.js';
import { FEED, FOUNDER, type OceanWorld } from './ocean-world.js';

/** Faults that are the contract's: the declarations of the client differ from what its service has always sent. */
const MEANT = [
  /^TransactionVin\.sequence is \d+ in place of a string$/,
  // Of the genesis block.
  /^Block\.(previousHash|masternode|minter) is missing$/,
  // Members of the operation that the client does not declare.
  /^GovernanceProposal\.(votesNo|votesNeutral|votesInvalid|feeRedistributionPerVote|feeRedistributionTotal) is not declared$/,
];

type Page = ApiPagedResponse<unknown>;
/** Arguments of calls of a method. */
type Arguments = readonly (readonly unknown[])[];

type Api = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** An answer with the arguments of its call; of lists the items of all pages. */
interface Answer {
  readonly args: readonly unknown[];
  readonly value: unknown;
}

/** Answers of the methods of the client, whose forms were compared with the declarations of the client. */
export class ClientAnswers {
  readonly check = new FormCheck(whaleForms(), TEXTS);
  readonly #answers = new Map<string, Answer[]>();

  constructor(private readonly world: OceanWorld) {}

  /** Methods that were called, as `Class.method`. */
  get methods(): string[] {
    return [...this.#answers.keys()];
  }

  /** All answers of a method, in the order of the calls. */
  calls(method: string): readonly Answer[] {
    return this.#answers.get(method) ?? [];
  }

  /** Answer of a method that was called with these arguments first. */
  of<T = Members>(method: string, ...args: readonly unknown[]): T {
    const found = this.calls(method).find((each) => args.every((arg, i) => each.args[i] === arg));
    assert.ok(found, `${method}(${args.join()})`);
    return found.value as T;
  }

  /** Items of lists that a method returned. */
  items<T = Members>(method: string): T[] {
    return this.calls(method).flatMap(({ value }) => value as T[]);
  }

  /** Values of one member, of all items of lists that a method returned. */
  members(method: string, member: string): Arguments {
    return this.items(method).map((item) => [item[member]]);
  }

  /** Calls a method, of a list all pages, and checks the forms of what it returns. */
  async call(method: string, args: readonly unknown[]): Promise<unknown> {
    const [api = '', name = ''] = method.split('.');
    let value = await this.#apiOf(api)[name]?.(...args);
    if (isPage(value)) {
      const items = [...value];
      for (let page = value; page.hasNext; ) {
        page = await this.world.client.paginate(page);
        items.push(...page);
      }
      value = items;
    }
    const form = this.check.forms.methods.get(method) as Form;
    const faults = this.check.faults(form, value, method).filter((fault) => !MEANT.some((each) => each.test(fault)));
    assert.deepEqual(faults, [], `${method}(${args.join()})`);
    this.#answers.set(method, [...this.calls(method), { args, value }]);
    return value;
  }

  async callEach(method: string, list: Arguments): Promise<void> {
    for (const args of list) await this.call(method, args);
  }

  /** Calls every method, with arguments for all state of the world. */
  async callEveryMethod(): Promise<void> {
    const { world } = this;
    await this.callEach('Blocks.list', [[200]]);
    await this.callEach('Blocks.get', [...this.members('Blocks.list', 'hash').slice(0, 3), ['0'], ['7']]);
    await this.callEach('Blocks.getTransactions', this.members('Blocks.list', 'hash'));
    for (const method of ['get', 'getVins', 'getVouts'])
      await this.callEach(`Transactions.${method}`, this.members('Blocks.getTransactions', 'txid'));
    await this.callEach('Rawtx.get', this.members('Blocks.getTransactions', 'txid').slice(0, 5));
    await this.callEach('Tokens.list', [[3]]);
    await this.callEach('Tokens.get', this.members('Tokens.list', 'id'));
    await this.callEach('Masternodes.list', [[4]]);
    await this.callEach('Masternodes.get', this.members('Masternodes.list', 'id'));
    await this.callEach('Oracles.list', [[1]]);
    await this.callEach('Oracles.getOracleByAddress', this.members('Oracles.list', 'ownerAddress'));
    const reports = this.items('Oracles.list').map(({ id }) => [id, FEED.token, FEED.currency]);
    await this.callEach('Oracles.getPriceFeed', reports);
    await this.callEach('Prices.list', [[4]]);
    const pairs = this.items<{ price: { token: string; currency: string } }>('Prices.list').map(({ price }) => [
      price.token,
      price.currency,
    ]);
    for (const method of ['get', 'getFeed', 'getFeedActive', 'getOracles']) await this.callEach(`Prices.${method}`, pairs);
    for (const interval of [900, 3600, 86_400])
      await this.callEach(
        'Prices.getFeedWithInterval',
        pairs.map((pair) => [...pair, interval]),
      );
    for (const [list, get, key] of [
      ['listScheme', 'getScheme', 'id'],
      ['listVault', 'getVault', 'vaultId'],
    ] as const) {
      await this.callEach(`Loan.${list}`, [[1]]);
      await this.callEach(`Loan.${get}`, this.members(`Loan.${list}`, key));
    }
    for (const kind of ['CollateralToken', 'LoanToken']) {
      await this.callEach(`Loan.list${kind}`, [[2]]);
      await this.callEach(
        `Loan.get${kind}`,
        this.items<{ token: { symbolKey: string } }>(`Loan.list${kind}`).map(({ token }) => [token.symbolKey]),
      );
    }
    await this.callEach('Loan.listAuction', [[1]]);
    await this.callEach(
      'Loan.listVaultAuctionHistory',
      this.items('Loan.listAuction').map((each) => [each.vaultId, each.liquidationHeight, 0, 1]),
    );
    await this.callEach('Governance.listGovProposals', [[], [{ status: 'voting', type: 'cfp', cycle: 1, size: 1 }], [{ all: true }]]);
    await this.callEach('Governance.getGovProposal', this.members('Governance.listGovProposals', 'proposalId'));
    const votes = this.items('Governance.listGovProposals').flatMap(({ proposalId: id }) => [
      [{ id }],
      [{ id, masternode: 'all', cycle: -1 }],
    ]);
    await this.callEach('Governance.listGovProposalVotes', votes);
    await this.callEach('PoolPairs.list', [[4]]);
    const pools = this.members('PoolPairs.list', 'id');
    for (const method of ['get', 'listPoolSwaps', 'listPoolSwapsVerbose']) await this.callEach(`PoolPairs.${method}`, pools);
    for (const interval of [3600, 86_400])
      await this.callEach(
        'PoolPairs.listPoolSwapAggregates',
        pools.map(([id]) => [id, interval]),
      );
    const coins = this.items('Tokens.list').filter(({ isLPS }) => !isLPS);
    await this.callEach(
      'PoolPairs.getSwappableTokens',
      coins.map(({ id }) => [id]),
    );
    const ways = coins.flatMap(({ id: from }) => coins.filter(({ id }) => id !== from).map(({ id: to }) => [from, to]));
    for (const method of ['getAllPaths', 'getBestPath']) await this.callEach(`PoolPairs.${method}`, ways);
    await this.callEach(
      'PoolPairs.listDexPrices',
      coins.map(({ symbol }) => [symbol]),
    );
    const owners = await world.ask<{ ownerAddress: string }[]>('listvaults');
    for (const address of [FOUNDER, ...owners.map(({ ownerAddress }) => ownerAddress), await world.ask<string>('getnewaddress')]) {
      for (const method of ['getBalance', 'listToken', 'listVault', 'listTransaction', 'listTransactionUnspent', 'listAccountHistory'])
        await this.call(`Address.${method}`, [address]);
      const records = await world.client.address.listAccountHistory(address);
      await this.callEach(
        'Address.getAccountHistory',
        records.map(({ block, txn }) => [address, block.height, txn]),
      );
      // Unknown without a transaction.
      if ((await world.client.address.listTransaction(address)).length > 0) await this.call('Address.getAggregation', [address]);
    }
    for (const method of ['get', 'getSupply', 'getBurn', 'getRewardDistribution']) await this.call(`Stats.${method}`, []);
    await this.call('Fee.estimate', [10]);
    await this.call('Rpc.call', ['getblockcount', [], 'number']);
    await this.call('Consortium.getAssetBreakdown', []);
    await assert.rejects(this.call('Consortium.getMemberStats', ['01']), WhaleApiException);
    const funded = await world.ask<{ hex: string }>('fundrawtransaction', await world.ask('createrawtransaction', [], { [FOUNDER]: 1 }));
    const { hex } = await world.ask<{ hex: string }>('signrawtransactionwithwallet', funded.hex);
    for (const method of ['test', 'send']) await this.call(`Rawtx.${method}`, [{ hex }]);
  }

  #apiOf(name: string): Api {
    const { client } = this.world;
    const apis = { ...client, pools: client.poolpairs } as unknown as Record<string, object>;
    const found = Object.values(apis).find((api) => api.constructor.name === name);
    assert.ok(found, name);
    return found as Api;
  }
}

function isPage(value: unknown): value is Page {
  return Array.isArray(value) && 'hasNext' in value;
}
