/** Every method of the published client, on a world with all kinds of state: forms of the answers, and their numbers by JSON-RPC. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ApiPagedResponse, WhaleApiClient, WhaleApiException, WhaleRpcClient } from '@defichain/whale-api-client';
import { Daemon, freePort } from '../daemon.js';
import { until } from '../until.js';
import { type Form, FormCheck, whaleForms } from './client-forms.js';
import { TEXTS } from './client-texts.js';
import {
  type ActivePrice,
  blockOf,
  byId,
  defined,
  type GivenBlock,
  inputOf,
  type LiquidatedVault,
  type Members,
  masternodeOf,
  type Named,
  outputOf,
  type PoolPair,
  type PriceFeed,
  plain,
  poolOf,
  proposalOf,
  recordOf,
  type Swap,
  sorted,
  type TermsOfToken,
  tokenOf,
  transactionOf,
  vaultFacts,
  vaultFactsOf,
} from './ocean-shapes.js';

/** Faults that are the contract's: the declarations of the client differ from what its service has always sent. */
const MEANT = [
  /^TransactionVin\.sequence is \d+ in place of a string$/,
  // Of the genesis block.
  /^Block\.(previousHash|masternode|minter) is missing$/,
  // Members of the operation that the client does not declare.
  /^GovernanceProposal\.(votesNo|votesNeutral|votesInvalid|feeRedistributionPerVote|feeRedistributionTotal) is not declared$/,
];

/** Members that no answer of this world has: 4.2.5 has no consortiums, and proposals of this kind have no options. */
const UNSEEN = /^(AssetBreakdownInfo|MemberWithTokenInfo|MemberStatsInfo|MintTokenWithStats|MintStatsInfo)\.|^GovernanceProposal\.options$/;

const FOUNDER = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
const FEED = { token: 'TSLA', currency: 'USD' };

type Page = ApiPagedResponse<unknown>;
/** Arguments of calls of a method. */
type Arguments = readonly (readonly unknown[])[];

describe('methods of the client', () => {
  let port = 0;
  let daemon: Daemon;
  let client: WhaleApiClient;
  let check: FormCheck;
  /** Answers by method, each with the arguments of its call; of lists the items of all pages. */
  const answers = new Map<string, { readonly args: readonly unknown[]; readonly value: unknown }[]>();

  before(async () => {
    port = await freePort();
    daemon = new Daemon(['-dev', '-devmine=off', '-devprices=0', '-oceanarchive', '-oceanarchiveserver', `-oceanarchiveport=${port}`]);
    await daemon.start();
    client = new WhaleApiClient({ url: `http://127.0.0.1:${port}`, network: 'regtest', version: 'v0' });
    check = new FormCheck(whaleForms(), TEXTS);
    await makeState();
    const tip = await ask<string>('getbestblockhash');
    await until(
      async () => (await (await fetch(`http://127.0.0.1:${port}/v0/regtest/blocks/highest`)).text()).includes(`"${tip}"`),
      'indexed',
    );
  });
  after(() => daemon.destroy());

  async function ask<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    return (await daemon.ask(method, ...params)) as T;
  }

  /** Answer of an operation, its amounts as texts of eight decimals. */
  async function exact<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const text = await daemon.post(JSON.stringify({ id: 1, method, params }));
    const { result, error } = JSON.parse(text.replaceAll(/(?<=[:,[])-?\d+\.\d{8}(?=[,}\]])/g, '"$&"')) as { result: T; error: unknown };
    assert.equal(error, null, method);
    return result;
  }

  async function mint(count = 1): Promise<void> {
    await ask('generatetoaddress', count, FOUNDER);
  }

  async function mine(method: string, ...params: readonly unknown[]): Promise<string> {
    const txid = await ask<string>(method, ...params);
    await mint();
    return txid;
  }

  /** Adds state that the world of `-dev` lacks: prices in USD, fees and rewards of pools, swaps, bids, votes, active prices, a resigned masternode. */
  async function makeState(): Promise<void> {
    await mine('createmasternode', await ask('getnewaddress', '', 'legacy'), '', [], 'FIVEYEARTIMELOCK');
    const resigned = await mine('createmasternode', await ask('getnewaddress', '', 'legacy'));
    await mine('createtoken', { symbol: 'USDT', name: 'Tether', isDAT: true, collateralAddress: FOUNDER });
    await mine('minttokens', ['100000@USDT']);
    await mine('createpoolpair', {
      tokenA: 'USDT',
      tokenB: 'DFI',
      commission: '0.002',
      status: true,
      ownerAddress: FOUNDER,
      customRewards: ['1@DFI'],
    });
    await mine('addpoolliquidity', { [FOUNDER]: ['2000@USDT', '1000@DFI'] }, FOUNDER);
    const fee = (side: string) => `v0/poolpairs/6/token_${side}_fee_pct`;
    await mine('setgov', { ATTRIBUTES: { [fee('a')]: '0.01', [fee('b')]: '0.02' } });
    const [auction] = await ask<{ vaultId: string }[]>('listauctions');
    const [first, second] = await ask<{ vaultId: string; ownerAddress: string }[]>('listvaults');
    const bidders = [first?.ownerAddress, second?.ownerAddress];
    for (const [i, bidder] of bidders.entries()) await mine('placeauctionbid', auction?.vaultId, 0, bidder, `${8 + i}@TSLA`);
    await mine('poolswap', { from: FOUNDER, tokenFrom: 'DFI', amountFrom: 5, to: bidders[0], tokenTo: 'BTC' });
    await mine('compositeswap', { from: bidders[1], tokenFrom: 'TSLA', amountFrom: 1, to: bidders[1], tokenTo: 'ETH' });
    const [proposal] = await ask<{ proposalId: string }[]>('listgovproposals');
    const voter = Object.entries(await ask<Record<string, Members>>('listmasternodes')).find(([, { mintedBlocks }]) => mintedBlocks);
    await mine('votegov', proposal?.proposalId, voter?.[0], 'yes');
    const oracles = [...(await ask<string[]>('listoracles')), await mine('appointoracle', FOUNDER, [FEED], 10)];
    for (const oracle of oracles) {
      const { time } = await ask<{ time: number }>('getblock', await ask('getbestblockhash'));
      await mine('setoracledata', oracle, time, [{ currency: 'USD', tokenAmount: '210.5@TSLA' }]);
    }
    // The auction must not end.
    await mint(12);
    await mine('resignmasternode', resigned);
  }

  function apiOf(name: string): Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>> {
    const apis = { ...client, pools: client.poolpairs } as unknown as Record<string, object>;
    const found = Object.values(apis).find((api) => api.constructor.name === name);
    assert.ok(found, name);
    return found as ReturnType<typeof apiOf>;
  }

  /** Calls a method, of a list all pages, and checks the forms of what it returns. */
  async function call(method: string, args: readonly unknown[]): Promise<unknown> {
    const [api = '', name = ''] = method.split('.');
    let value = await apiOf(api)[name]?.(...args);
    if (isPage(value)) {
      const items = [...value];
      for (let page = value; page.hasNext; ) {
        page = await client.paginate(page);
        items.push(...page);
      }
      value = items;
    }
    const form = check.forms.methods.get(method) as Form;
    const faults = check.faults(form, value, method).filter((fault) => !MEANT.some((each) => each.test(fault)));
    assert.deepEqual(faults, [], `${method}(${args.join()})`);
    answers.set(method, [...(answers.get(method) ?? []), { args, value }]);
    return value;
  }

  async function callEach(method: string, list: Arguments): Promise<void> {
    for (const args of list) await call(method, args);
  }

  /** Answer of a method that was called with these arguments first. */
  function answer<T = Members>(method: string, ...args: readonly unknown[]): T {
    const found = (answers.get(method) ?? []).find((each) => args.every((arg, i) => each.args[i] === arg));
    assert.ok(found, `${method}(${args.join()})`);
    return found.value as T;
  }

  /** Items of lists that a method returned. */
  function itemsOf<T = Members>(method: string): T[] {
    return (answers.get(method) ?? []).flatMap(({ value }) => value as T[]);
  }

  /** Values of one member, of all items of lists that a method returned. */
  function all(method: string, member: string): Arguments {
    return itemsOf(method).map((item) => [item[member]]);
  }

  test('every method answers with all declared members, of the declared types', async () => {
    await callEach('Blocks.list', [[200]]);
    await callEach('Blocks.get', [...all('Blocks.list', 'hash').slice(0, 3), ['0'], ['7']]);
    await callEach('Blocks.getTransactions', all('Blocks.list', 'hash'));
    for (const method of ['get', 'getVins', 'getVouts']) await callEach(`Transactions.${method}`, all('Blocks.getTransactions', 'txid'));
    await callEach('Rawtx.get', all('Blocks.getTransactions', 'txid').slice(0, 5));
    await callEach('Tokens.list', [[3]]);
    await callEach('Tokens.get', all('Tokens.list', 'id'));
    await callEach('Masternodes.list', [[4]]);
    await callEach('Masternodes.get', all('Masternodes.list', 'id'));
    await callEach('Oracles.list', [[1]]);
    await callEach('Oracles.getOracleByAddress', all('Oracles.list', 'ownerAddress'));
    const reports = itemsOf('Oracles.list').map(({ id }) => [id, FEED.token, FEED.currency]);
    await callEach('Oracles.getPriceFeed', reports);
    await callEach('Prices.list', [[4]]);
    const pairs = itemsOf<{ price: { token: string; currency: string } }>('Prices.list').map(({ price }) => [price.token, price.currency]);
    for (const method of ['get', 'getFeed', 'getFeedActive', 'getOracles']) await callEach(`Prices.${method}`, pairs);
    for (const interval of [900, 3600, 86_400])
      await callEach(
        'Prices.getFeedWithInterval',
        pairs.map((pair) => [...pair, interval]),
      );
    for (const [list, get, key] of [
      ['listScheme', 'getScheme', 'id'],
      ['listVault', 'getVault', 'vaultId'],
    ] as const) {
      await callEach(`Loan.${list}`, [[1]]);
      await callEach(`Loan.${get}`, all(`Loan.${list}`, key));
    }
    for (const kind of ['CollateralToken', 'LoanToken']) {
      await callEach(`Loan.list${kind}`, [[2]]);
      await callEach(
        `Loan.get${kind}`,
        itemsOf<{ token: { symbolKey: string } }>(`Loan.list${kind}`).map(({ token }) => [token.symbolKey]),
      );
    }
    await callEach('Loan.listAuction', [[1]]);
    await callEach(
      'Loan.listVaultAuctionHistory',
      itemsOf('Loan.listAuction').map((each) => [each.vaultId, each.liquidationHeight, 0, 1]),
    );
    await callEach('Governance.listGovProposals', [[], [{ status: 'voting', type: 'cfp', cycle: 1, size: 1 }], [{ all: true }]]);
    await callEach('Governance.getGovProposal', all('Governance.listGovProposals', 'proposalId'));
    const votes = itemsOf('Governance.listGovProposals').flatMap(({ proposalId: id }) => [
      [{ id }],
      [{ id, masternode: 'all', cycle: -1 }],
    ]);
    await callEach('Governance.listGovProposalVotes', votes);
    await callEach('PoolPairs.list', [[4]]);
    const pools = all('PoolPairs.list', 'id');
    for (const method of ['get', 'listPoolSwaps', 'listPoolSwapsVerbose']) await callEach(`PoolPairs.${method}`, pools);
    for (const interval of [3600, 86_400])
      await callEach(
        'PoolPairs.listPoolSwapAggregates',
        pools.map(([id]) => [id, interval]),
      );
    const coins = itemsOf('Tokens.list').filter(({ isLPS }) => !isLPS);
    await callEach(
      'PoolPairs.getSwappableTokens',
      coins.map(({ id }) => [id]),
    );
    const ways = coins.flatMap(({ id: from }) => coins.filter(({ id }) => id !== from).map(({ id: to }) => [from, to]));
    for (const method of ['getAllPaths', 'getBestPath']) await callEach(`PoolPairs.${method}`, ways);
    await callEach(
      'PoolPairs.listDexPrices',
      coins.map(({ symbol }) => [symbol]),
    );
    const owners = await ask<{ ownerAddress: string }[]>('listvaults');
    for (const address of [FOUNDER, ...owners.map(({ ownerAddress }) => ownerAddress), await ask<string>('getnewaddress')]) {
      for (const method of ['getBalance', 'listToken', 'listVault', 'listTransaction', 'listTransactionUnspent', 'listAccountHistory'])
        await call(`Address.${method}`, [address]);
      const records = await client.address.listAccountHistory(address);
      await callEach(
        'Address.getAccountHistory',
        records.map(({ block, txn }) => [address, block.height, txn]),
      );
      // Unknown without a transaction.
      if ((await client.address.listTransaction(address)).length > 0) await call('Address.getAggregation', [address]);
    }
    for (const method of ['get', 'getSupply', 'getBurn', 'getRewardDistribution']) await call(`Stats.${method}`, []);
    await call('Fee.estimate', [10]);
    await call('Rpc.call', ['getblockcount', [], 'number']);
    await call('Consortium.getAssetBreakdown', []);
    await assert.rejects(call('Consortium.getMemberStats', ['01']), WhaleApiException);
    const funded = await ask<{ hex: string }>('fundrawtransaction', await ask('createrawtransaction', [], { [FOUNDER]: 1 }));
    const { hex } = await ask<{ hex: string }>('signrawtransactionwithwallet', funded.hex);
    for (const method of ['test', 'send']) await call(`Rawtx.${method}`, [{ hex }]);

    const called = [...answers.keys(), 'Consortium.getMemberStats'];
    assert.deepEqual(called.sort(), [...check.forms.methods.keys()].sort());
    const unseen = [...check.membersOfResults()].filter((member) => !check.seen.has(member) && !UNSEEN.test(member));
    assert.deepEqual(unseen, []);
    assert.deepEqual([...check.checked].sort(), Object.keys(TEXTS).sort());
  });

  test('blocks, transactions, inputs and outputs are those of getblock', async () => {
    const outputs = new Map<string, Members>();
    const blocks = itemsOf('Blocks.list');
    for (const shown of blocks.toReversed()) {
      const block = await exact<GivenBlock>('getblock', await ask('getblockhash', shown.height), 2);
      assert.deepEqual(shown, defined(blockOf(block)));
      for (const [order, tx] of block.tx.entries()) {
        const { txid, vin, vout } = tx;
        assert.deepEqual(answer('Transactions.get', txid), transactionOf(block, order));
        const shownOutputs = answer<Members[]>('Transactions.getVouts', txid);
        assert.deepEqual(shownOutputs, defined(vout.map((output) => outputOf(tx, output))));
        for (const { id, n, value, tokenId, script } of shownOutputs) {
          const { hex } = script as { hex: string };
          outputs.set(`${txid}${n}`, defined({ id, txid, n, value, tokenId, script: { hex } }));
        }
        const isEvm = vin.length === 2 && vin.every(({ txid }) => txid === '0'.repeat(64));
        const inputs = isEvm ? [] : vin.map((input) => inputOf(txid, input, outputs.get(`${input.txid}${input.vout}`)));
        assert.deepEqual(answer('Transactions.getVins', txid), defined(inputs).sort(byId));
      }
    }
    assert.equal(blocks.length, (await ask<number>('getblockcount')) + 1);
  });

  test('tokens, masternodes, oracles and prices are those of the operations', async () => {
    const tokens = await exact<Named>('listtokens', {}, true);
    assert.deepEqual(itemsOf('Tokens.list'), defined(Object.entries(tokens).map(([id, token]) => tokenOf(id, token))));
    const nodes = Object.entries(await exact<Named>('listmasternodes', {}, true)).map(([id, node]) => masternodeOf(id, node));
    assert.deepEqual(
      itemsOf('Masternodes.list'),
      defined(nodes).sort((a, b) => (a.sort < b.sort ? 1 : -1)),
    );
    const oracles = await ask<string[]>('listoracles');
    assert.deepEqual(all('Oracles.list', 'id').flat(), oracles.sort().reverse());
    for (const { id, weightage, priceFeeds } of itemsOf('Oracles.list')) {
      const given = await exact<Members & { tokenPrices: Members[] }>('getoracledata', id);
      const own = given.tokenPrices.find(({ token }) => token === FEED.token);
      const [newest] = answer<Members[]>('Oracles.getPriceFeed', id, FEED.token, FEED.currency);
      assert.deepEqual([weightage, sorted(priceFeeds)], [given.weightage, sorted(given.priceFeeds)]);
      assert.deepEqual([newest?.amount, newest?.time], [plain(own?.amount ?? own?.price), own?.timestamp]);
    }
    const now = await exact<Members[]>('listprices');
    for (const { price } of itemsOf<{ price: PriceFeed }>('Prices.list')) {
      const { token, currency, aggregated } = price;
      const given = now.find((each) => each.token === token && each.currency === currency);
      assert.ok(given?.ok !== true || aggregated.amount === given.price, `${token} ${aggregated.amount}`);
      assert.deepEqual(answer<Members[]>('Prices.getFeed', token, currency)[0], price);
      const [lasting] = answer<PriceFeed[]>('Prices.getFeedWithInterval', token, currency, 86_400);
      assert.deepEqual([lasting?.token, lasting?.currency], [token, currency]);
    }
    const fixed = await exact<Members>('getfixedintervalprice', `${FEED.token}/${FEED.currency}`);
    const [active] = answer<ActivePrice[]>('Prices.getFeedActive', FEED.token, FEED.currency);
    assert.deepEqual([active?.active?.amount, active?.next?.amount, active?.isLive], [fixed.activePrice, fixed.nextPrice, fixed.isLive]);
  });

  test('schemes, collaterals, loan tokens, vaults and auctions are those of the operations', async () => {
    const schemes = await exact<Members[]>('listloanschemes');
    assert.deepEqual(
      itemsOf('Loan.listScheme'),
      schemes.map(({ id, mincolratio, interestrate }) => ({ id, minColRatio: plain(mincolratio), interestRate: plain(interestrate) })),
    );
    const collaterals = await exact<Members[]>('listcollateraltokens');
    assert.deepEqual(
      itemsOf<TermsOfToken>('Loan.listCollateralToken').map((each) => [
        each.tokenId,
        each.token.symbolKey,
        each.factor,
        each.fixedIntervalPriceId,
      ]),
      collaterals.map((each) => [each.tokenId, each.token, plain(each.factor), each.fixedIntervalPriceId]).sort(),
    );
    const loanTokens = await exact<(Members & { token: Named })[]>('listloantokens');
    assert.deepEqual(
      itemsOf<TermsOfToken>('Loan.listLoanToken').map(({ token, interest, fixedIntervalPriceId }) => [
        token.id,
        token.symbol,
        interest,
        fixedIntervalPriceId,
      ]),
      loanTokens
        .flatMap(({ token, interest, fixedIntervalPriceId }) =>
          Object.entries(token).map(([id, { symbol, creationTx }]) => [creationTx, id, symbol, plain(interest), fixedIntervalPriceId]),
        )
        .sort()
        .map(([, ...rest]) => rest),
    );
    const vaults = await exact<Members[]>('listvaults');
    assert.deepEqual(
      all('Loan.listVault', 'vaultId').flat(),
      vaults.map(({ vaultId }) => vaultId),
    );
    for (const vault of itemsOf('Loan.listVault')) {
      assert.deepEqual(vaultFacts(vault), vaultFactsOf(await exact('getvault', vault.vaultId)));
      assert.deepEqual(answer('Loan.getVault', vault.vaultId), vault);
    }
    const [auction] = itemsOf<LiquidatedVault>('Loan.listAuction');
    assert.deepEqual(
      itemsOf('Loan.listAuction'),
      itemsOf('Loan.listVault').filter(({ state }) => state === 'IN_LIQUIDATION'),
    );
    const bids = itemsOf('Loan.listVaultAuctionHistory');
    const [batch] = auction?.batches ?? [];
    assert.deepEqual(
      bids.map(({ address }) => address),
      batch?.froms,
    );
    assert.deepEqual(
      bids.map(({ amount }) => amount),
      ['9', '8'],
    );
    assert.deepEqual([bids[0]?.address, batch?.highestBid?.amount.amount], [batch?.highestBid?.owner, '9.00000000']);
  });

  test('pools and their swaps, proposals and votes are those of the operations', async () => {
    const tokens = await exact<Named>('listtokens', {}, true);
    const pools = Object.entries(await exact<Named>('listpoolpairs'));
    assert.deepEqual(
      itemsOf<PoolPair>('PoolPairs.list').map(({ totalLiquidity, apr, volume, ...pool }) => ({ ...pool, liquidity: totalLiquidity.token })),
      defined(pools.map(([id, pool]) => poolOf(id, pool, tokens))),
    );
    let count = 0;
    for (const { id } of itemsOf('PoolPairs.list')) {
      const swaps = answer<Swap[]>('PoolPairs.listPoolSwapsVerbose', id);
      for (const { block, txid, txno, from, to } of swaps) {
        const record = await exact<Members & { amounts: string[] }>('getaccounthistory', to?.address, block.height, txno);
        assert.deepEqual([record.txid, record.amounts.includes(`${to?.amount}@${to?.symbol}`), from !== undefined], [txid, true, true]);
        count += 1;
      }
      const sum = swaps.reduce((total, { fromAmount }) => total + Number(fromAmount), 0);
      for (const interval of [3600, 86_400]) {
        const buckets = answer<{ aggregated: { amounts: Record<string, string> } }[]>('PoolPairs.listPoolSwapAggregates', id, interval);
        const amounts = buckets.flatMap(({ aggregated }) => Object.values(aggregated.amounts));
        assert.equal(
          amounts.reduce((total, amount) => total + Number(amount), 0),
          sum,
        );
      }
    }
    // One swap in one pool, and one along three.
    assert.equal(count, 4);
    const proposals = await exact<Members[]>('listgovproposals', { pagination: { limit: 0 } });
    assert.deepEqual(answer('Governance.listGovProposals'), proposals.map(proposalOf));
    for (const { proposalId } of proposals) {
      assert.deepEqual(answer('Governance.getGovProposal', proposalId), proposalOf(await exact('getgovproposal', proposalId)));
      const votes = (answers.get('Governance.listGovProposalVotes') ?? []).filter(({ args }) => (args[0] as Members).id === proposalId);
      for (const { value } of votes) assert.deepEqual(value, await exact('listgovproposalvotes', proposalId, 'all', 0));
    }
  });

  test('coins, balances and history of addresses are those of the operations', async () => {
    for (const { args } of answers.get('Address.getBalance') ?? []) {
      const [address] = args;
      const coins = await exact<{ total_amount: string; unspents: Members[] }>('scantxoutset', 'start', [`addr(${address})`]);
      assert.equal(answer('Address.getBalance', address), coins.total_amount);
      assert.deepEqual(
        answer<{ vout: Members; block: Members }[]>('Address.listTransactionUnspent', address)
          .map(({ vout, block }) => `${block.height} ${vout.txid} ${vout.n} ${vout.value}`)
          .sort(),
        coins.unspents.map(({ height, txid, vout, amount }) => `${height} ${txid} ${vout} ${amount}`).sort(),
      );
      const held = Object.entries(await exact<Record<string, string>>('getaccount', address, {}, true));
      assert.deepEqual(
        answer<Members[]>('Address.listToken', address).map(({ id, amount }) => [id, amount]),
        held,
      );
      const records = await exact<Members[]>('listaccounthistory', address, { no_rewards: true, limit: 10_000 });
      assert.deepEqual(
        answer<Members[]>('Address.listAccountHistory', address),
        records.filter(({ type }) => !['sent', 'receive', 'blockReward'].includes(type as string)).map(recordOf),
      );
    }
  });

  test('refusals reach the client with their status and text', async () => {
    const { address, governance, loan, masternodes, oracles, poolpairs, rawtx, rpc, tokens, transactions } = client;
    const unknown = '0'.repeat(64);
    const refusals: readonly (readonly [refused: () => Promise<unknown>, code: number, message: string])[] = [
      [() => address.getBalance('nonsense'), 400, 'InvalidDefiAddress'],
      [() => address.listToken('nonsense'), 400, 'InvalidDefiAddress'],
      [() => address.listAccountHistory('nonsense'), 400, 'InvalidDefiAddress'],
      [() => address.listAccountHistory('mine'), 403, 'mine is not allowed'],
      [() => address.getAccountHistory(FOUNDER, 1, 1), 404, 'Record not found'],
      [() => governance.getGovProposal('999'), 404, 'Unable to find proposal'],
      [() => governance.listGovProposalVotes({ id: unknown }), 404, 'Unable to find proposal'],
      [() => loan.getScheme('999'), 404, 'Unable to find scheme'],
      [() => loan.getCollateralToken('999'), 404, 'Unable to find collateral token'],
      [() => loan.getLoanToken('BTC'), 404, 'Unable to find loan token'],
      [() => loan.getVault(unknown), 404, 'Unable to find vault'],
      [() => loan.getVault('$*@'), 400, "RpcApiError: 'vaultId must be of length 64 (not 3, for '$*@')', code: -8, method: getvault"],
      [() => masternodes.get('8d4d987dee688e400a0cdc899386f243250d3656d802231755ab4d28178c9816'), 404, 'Unable to find masternode'],
      [() => oracles.getOracleByAddress(unknown), 404, `Oracle not found for address ${unknown}`],
      [() => poolpairs.get('999'), 404, 'Unable to find poolpair'],
      [() => poolpairs.get('DFI'), 400, 'Validation failed (numeric string is expected)'],
      [() => poolpairs.getBestPath('1', '1'), 400, 'Invalid tokens: fromToken must be different from toToken'],
      [() => poolpairs.getAllPaths('1', '999'), 404, 'Unable to find token 999'],
      [() => poolpairs.listDexPrices('NONE'), 404, "Could not find token with symbol 'NONE'"],
      [() => rawtx.get(unknown), 404, 'Transaction could not be found'],
      [() => rawtx.test({ hex: '00' }), 400, 'Transaction decode failed'],
      [() => rpc.call('stop', [], 'number'), 403, 'RPC method not whitelisted'],
      [() => tokens.get('999'), 404, 'Unable to find token'],
      [() => transactions.get(unknown), 404, 'transaction not found'],
    ];
    for (const [refused, code, message] of refusals) {
      const error = await refused().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof WhaleApiException, message);
      assert.deepEqual([error.code, error.error.message], [code, message]);
    }
    await assert.rejects(rawtx.send({ hex: '', maxFeeRate: -1 }), {
      properties: [
        { property: 'hex', value: '', constraints: ['hex must be a hexadecimal number', 'hex should not be empty'] },
        { property: 'maxFeeRate', value: -1, constraints: ['maxFeeRate must not be less than 0'] },
      ],
    });
    // Unknown blocks and tickers have no data.
    assert.deepEqual([await client.blocks.get('9999999'), await client.prices.get('NO', 'USD')], [undefined, undefined]);
  });

  test('the JSON-RPC client of the package gets results and errors', async () => {
    const rpc = new WhaleRpcClient(`http://127.0.0.1:${port}/v0/regtest/rpc`);
    assert.equal(await rpc.blockchain.getBlockCount(), await ask('getblockcount'));
    await assert.rejects(rpc.blockchain.getBlock('00', 1), {
      name: 'Error',
      message: "RpcApiError: 'blockhash must be of length 64 (not 2, for '00')', code: -8, method: getblock",
    });
  });

  test('statistics are those of the operations', async () => {
    const stats = await client.stats.get();
    const { totals } = await ask<{ totals: Members }>('getloaninfo');
    const { schemes, loanTokens, collateralTokens, openVaults, openAuctions, collateralValue, loanValue } = totals;
    assert.deepEqual(stats.loan, {
      count: { schemes, loanTokens, collateralTokens, openVaults, openAuctions },
      value: { collateral: collateralValue, loan: loanValue },
    });
    const masternodes = Object.values(await ask<Named>('listmasternodes')).filter(({ resignHeight }) => resignHeight === -1);
    const [tokens, prices] = [itemsOf('Tokens.list').length, itemsOf('Prices.list').length];
    assert.deepEqual(stats.count, { blocks: await ask('getblockcount'), tokens, prices, masternodes: masternodes.length });
    assert.deepEqual(
      stats.masternodes.locked.map(({ weeks, count }) => [weeks, count]),
      [
        [0, masternodes.length - 1],
        [260, 1],
      ],
    );
    const burnt = await ask<Members>('getburninfo');
    const { paybackburn, paybackburntokens, ...burn } = await client.stats.getBurn();
    assert.deepEqual([paybackburn, paybackburntokens], [0, burnt.paybackburn]);
    assert.deepEqual(burn, Object.fromEntries(Object.keys(burn).map((name) => [name, burnt[name]])));
    const { fee, auction, emission } = stats.burned;
    assert.deepEqual([fee, auction, emission], [burnt.feeburn, burnt.auctionburn, burnt.emissionburn]);
    assert.equal(stats.blockchain.difficulty, await ask('getdifficulty'));
    const { version, subversion, protocolversion } = await ask<Members>('getnetworkinfo');
    assert.deepEqual(stats.net, { version, subversion, protocolversion });
    const volume = itemsOf<PoolPair>('PoolPairs.list').reduce((sum, { volume: { h24 } }) => sum + h24, 0);
    assert.ok(volume > 0 && stats.price.usd > 0);
    // No swap used the pool of 2,000 USDT and 1,000 DFI.
    assert.equal(stats.price.usdt, 2);
  });
});

function isPage(value: unknown): value is Page {
  return Array.isArray(value) && 'hasNext' in value;
}
