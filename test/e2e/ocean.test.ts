/** The HTTP API of light wallets, asked by the client that they are built on, on the world of `-dev`. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ApiPagedResponse, WhaleApiClient, WhaleApiException } from '@defichain/whale-api-client';
import { Daemon, freePort } from '../daemon.js';
import { until } from '../until.js';

const FOUNDER = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';

interface Amounts {
  readonly [name: string]: unknown;
}

describe('Ocean', () => {
  let port = 0;
  let daemon: Daemon;
  let client: WhaleApiClient;
  /** Account of the world with coins, tokens, and a vault with loans. */
  let account = '';
  const mint = (count = 1): Promise<unknown> => daemon.ask('generatetoaddress', count, FOUNDER);

  before(async () => {
    port = await freePort();
    daemon = new Daemon(['-dev', '-devmine=off', '-devprices=0', '-oceanarchive', '-oceanarchiveserver', `-oceanarchiveport=${port}`]);
    await daemon.start();
    const [vault] = (await daemon.ask('listvaults', { state: 'active', verbose: true })) as { readonly ownerAddress: string }[];
    account = vault?.ownerAddress ?? '';
    client = new WhaleApiClient({ url: `http://127.0.0.1:${port}`, network: 'regtest', version: 'v0' });
    await indexed();
  });
  after(() => daemon.destroy());

  /** Waits until the index has the tip. */
  function indexed(): Promise<void> {
    return until(async () => (await text('blocks/highest')).includes(`"${await daemon.ask('getbestblockhash')}"`), 'the index has the tip');
  }

  async function text(path: string): Promise<string> {
    return (await fetch(`http://127.0.0.1:${port}/v0/regtest/${path}`)).text();
  }

  /** All items of a list, by its pages. */
  async function whole<T>(first: Promise<ApiPagedResponse<T>>): Promise<T[]> {
    const items: T[] = [];
    for (let page = await first; ; page = await client.paginate(page)) {
      items.push(...page);
      if (!page.hasNext) return items;
    }
  }

  async function failure(answer: Promise<unknown>): Promise<string> {
    try {
      await answer;
    } catch (error) {
      if (error instanceof WhaleApiException) return `${error.code} ${error.error.message}`;
      throw error;
    }
    throw new Error('the request did not fail');
  }

  test('pages of every list have the items of the whole list', async () => {
    const lists: Record<string, (size: number) => Promise<ApiPagedResponse<unknown>>> = {
      blocks: (size) => client.blocks.list(size),
      tokens: (size) => client.tokens.list(size),
      pools: (size) => client.poolpairs.list(size),
      masternodes: (size) => client.masternodes.list(size),
      oracles: (size) => client.oracles.list(size),
      prices: (size) => client.prices.list(size),
      feed: (size) => client.prices.getFeed('TSLA', 'USD', size),
      active: (size) => client.prices.getFeedActive('TSLA', 'USD', size),
      interval: (size) => client.prices.getFeedWithInterval('TSLA', 'USD', 900, size),
      schemes: (size) => client.loan.listScheme(size),
      collaterals: (size) => client.loan.listCollateralToken(size),
      loanTokens: (size) => client.loan.listLoanToken(size),
      vaults: (size) => client.loan.listVault(size),
      auctions: (size) => client.loan.listAuction(size),
      coins: (size) => client.address.listTransactionUnspent(account, size),
      activity: (size) => client.address.listTransaction(account, size),
      balances: (size) => client.address.listToken(account, size),
      history: (size) => client.address.listAccountHistory(account, size),
      ownVaults: (size) => client.address.listVault(account, size),
    };
    for (const [name, list] of Object.entries(lists)) {
      const all = await whole(list(200));
      assert.ok(all.length > 0, `${name} is not empty`);
      for (const size of [1, 7]) {
        if (size === 1 && all.length > 40) continue;
        assert.deepEqual(await whole(list(size)), all, `${name} in pages of ${size}`);
      }
    }
  });

  test('coins, balance and activity of an address agree with each other and with the node', async () => {
    const coins = await whole(client.address.listTransactionUnspent(account, 200));
    const scanned = (await daemon.ask('scantxoutset', 'start', [`addr(${account})`])) as Amounts;
    const satoshis = (amount: unknown): bigint => BigInt(Math.round(Number(amount) * 1e8));
    const sum = coins.reduce((total, coin) => total + satoshis(coin.vout.value), 0n);
    assert.equal(sum, satoshis(scanned.total_amount));
    assert.equal(coins.length, (scanned.unspents as unknown[]).length);
    const balance = await client.address.getBalance(account);
    assert.equal(satoshis(balance), sum);
    const { statistic, amount } = await client.address.getAggregation(account);
    const activity = await whole(client.address.listTransaction(account, 200));
    const total = (type: string): bigint =>
      activity.filter((each) => each.type === type).reduce((all, each) => all + satoshis(each.value), 0n);
    assert.deepEqual([satoshis(amount.txIn), satoshis(amount.txOut), amount.unspent], [total('vout'), total('vin'), balance]);
    assert.equal(statistic.txCount, activity.length);
  });

  test('an address that was never used is unknown, so that the search of a wallet for its accounts ends', async () => {
    const unused = (await daemon.ask('getnewaddress')) as string;
    assert.equal(await client.address.getAggregation(unused), undefined);
    assert.equal(await client.address.getBalance(unused), '0.00000000');
    assert.deepEqual([...(await client.address.listTransactionUnspent(unused))], []);
    assert.deepEqual([...(await client.address.listToken(unused))], []);
  });

  test('a wallet sends: test, send, then poll until a block has the transaction', async () => {
    const unsigned = await daemon.ask('createrawtransaction', [], { [account]: 1 });
    const funded = (await daemon.ask('fundrawtransaction', unsigned)) as Amounts;
    const { hex } = (await daemon.ask('signrawtransactionwithwallet', funded.hex)) as { readonly hex: string };
    await client.rawtx.test({ hex });
    const txid = await client.rawtx.send({ hex });
    assert.ok(((await daemon.ask('getrawmempool')) as string[]).includes(txid));
    assert.match(await failure(client.transactions.get(txid)), /^404 /);
    assert.equal(await client.rawtx.get(txid), hex);
    await mint();
    await indexed();
    const transaction = await client.transactions.get(txid);
    assert.equal(transaction.block.hash, await daemon.ask('getbestblockhash'));
    const outputs = await whole(client.transactions.getVouts(txid, 200));
    assert.deepEqual(
      [outputs.length, (await whole(client.transactions.getVins(txid, 200))).length],
      [transaction.voutCount, transaction.vinCount],
    );
    assert.ok(outputs.some(({ value }) => value === '1.00000000'));
    assert.match(await failure(client.rawtx.send({ hex: '00' })), /^400 Transaction decode failed$/);
  });

  test('pools, prices, vaults and statistics are those of the node', async () => {
    const pools = (await daemon.ask('listpoolpairs')) as Record<string, Amounts>;
    const shown = await whole(client.poolpairs.list(200));
    assert.deepEqual(
      shown.map(({ id, symbol, tokenA }) => [id, symbol, Number(tokenA.reserve)]),
      Object.entries(pools).map(([id, pool]) => [id, pool.symbol, pool.reserveA]),
    );
    const price = await client.prices.get('TSLA', 'USD');
    assert.equal(Number(price?.price.aggregated.amount), await daemon.ask('getprice', { token: 'TSLA', currency: 'USD' }));
    const [vault] = await client.address.listVault(account);
    const own = (await daemon.ask('getvault', vault?.vaultId)) as Amounts;
    assert.ok(vault && 'collateralRatio' in vault);
    assert.deepEqual([vault.ownerAddress, Number(vault.loanValue)], [account, own.loanValue]);
    const stats = await client.stats.get();
    const info = (await daemon.ask('getloaninfo')) as { readonly totals: Amounts };
    assert.deepEqual([stats.count.blocks, stats.loan.count.openVaults], [await daemon.ask('getblockcount'), info.totals.openVaults]);
    assert.deepEqual(await client.rpc.call('getblockcount', [], 'number'), await daemon.ask('getblockcount'));
  });

  test('prices of two oracles become the active price of loans', async () => {
    const feed = { token: 'TSLA', currency: 'USD' };
    const oracles = (await daemon.ask('listoracles')) as string[];
    const second = (await daemon.ask('appointoracle', FOUNDER, [feed], 10)) as string;
    await mint();
    for (const oracle of [...oracles, second]) {
      const time = ((await daemon.ask('getblock', await daemon.ask('getbestblockhash'))) as Amounts).time;
      await daemon.ask('setoracledata', oracle, time, [{ currency: 'USD', tokenAmount: '210.5@TSLA' }]);
    }
    await mint(13);
    await indexed();
    const [active] = await client.prices.getFeedActive('TSLA', 'USD', 1);
    const fixed = (await daemon.ask('getfixedintervalprice', 'TSLA/USD')) as Amounts;
    assert.deepEqual([Number(active?.active?.amount), active?.isLive], [fixed.activePrice, fixed.isLive]);
    assert.equal(fixed.activePrice, 210.5);
    assert.deepEqual(
      (await whole(client.prices.getOracles('TSLA', 'USD', 1))).map(({ oracleId, feed: report }) => [oracleId, report?.amount]),
      [...oracles, second]
        .sort()
        .reverse()
        .map((oracle) => [oracle, '210.5']),
    );
  });

  test('votes of masternodes are listed while several wallets are loaded, and while none is', async () => {
    const [proposal] = await client.governance.listGovProposals();
    const id = proposal?.proposalId ?? '';
    const voter = Object.entries((await daemon.ask('listmasternodes')) as Record<string, Amounts>).find(
      ([, { mintedBlocks }]) => mintedBlocks,
    );
    await daemon.ask('votegov', id, voter?.[0], 'yes');
    await mint();
    const votes = async (masternode: string) => {
      const { data } = JSON.parse(await text(`governance/proposals/${id}/votes?masternode=${masternode}`)) as { readonly data: Amounts[] };
      return data.map(({ masternodeId }) => masternodeId);
    };
    assert.deepEqual([await votes('all'), await votes('mine')], [[voter?.[0]], [voter?.[0]]]);
    await daemon.ask('createwallet', 'second');
    assert.deepEqual([await votes('all'), await votes('mine')], [[voter?.[0]], [voter?.[0]]]);
    await daemon.ask('unloadwallet', 'second');
    await daemon.ask('unloadwallet', '');
    assert.deepEqual([await votes('all'), await votes('mine')], [[voter?.[0]], []]);
    await daemon.ask('loadwallet', '');
  });

  test('a swap is listed in its pool with both parties', async () => {
    const pool = (await whole(client.poolpairs.list(200))).find(({ symbol }) => symbol === 'BTC-DFI');
    assert.ok(pool);
    await daemon.ask('poolswap', { from: account, tokenFrom: 'DFI', amountFrom: 5, to: account, tokenTo: 'BTC' });
    await mint();
    await indexed();
    const [swap] = await client.poolpairs.listPoolSwapsVerbose(pool.id, 1);
    const height = Number(await daemon.ask('getblockcount'));
    const record = (await daemon.ask('getaccounthistory', account, height, swap?.txno)) as { readonly amounts: readonly string[] };
    assert.deepEqual([swap?.fromAmount, swap?.from?.address, swap?.type], ['5.00000000', account, 'BUY']);
    assert.ok(record.amounts.includes(`${swap?.to?.amount}@BTC`));
    const [hour] = await client.poolpairs.listPoolSwapAggregates(pool.id, 3600, 1);
    assert.deepEqual(hour?.aggregated.amounts, { '0': '5.00000000' });
  });

  /** Answers of endpoints that read every kind of row. */
  async function answers(): Promise<string[]> {
    const paths = [
      `address/${account}/aggregation`,
      `address/${account}/transactions?size=200`,
      `address/${account}/transactions/unspent?size=200`,
      'prices?size=200',
      'prices/TSLA-USD/feed?size=200',
      'prices/TSLA-USD/feed/active?size=200',
      'prices/TSLA-USD/feed/interval/900?size=200',
      'prices/TSLA-USD/oracles',
      'oracles',
      'poolpairs/5/swaps?size=200',
      'poolpairs/5/swaps/aggregate/3600?size=200',
      'blocks/highest',
    ];
    return Promise.all(paths.map(async (path) => `${path} ${await text(path)}`));
  }

  test('blocks that leave the chain leave the answers, and return with them', async () => {
    const before = await answers();
    const from = (await daemon.ask('getblockhash', Number(await daemon.ask('getblockcount')) - 9)) as string;
    await daemon.ask('invalidateblock', from);
    await indexed();
    assert.notDeepEqual(await answers(), before);
    await daemon.ask('reconsiderblock', from);
    await indexed();
    assert.deepEqual(await answers(), before);
  });

  test('a killed node answers the same after its next start', async () => {
    const before = await answers();
    await daemon.end('SIGKILL');
    await daemon.start();
    await indexed();
    assert.deepEqual(await answers(), before);
  });
});
