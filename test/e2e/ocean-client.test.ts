/** Every method of the published client, on a world with all kinds of state: forms of the answers, and their numbers by JSON-RPC. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { WhaleApiException, WhaleRpcClient } from '@defichain/whale-api-client';
import { ClientAnswers } from './client-answers.js';
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
import { FEED, FOUNDER, OceanWorld } from './ocean-world.js';

/** Members that no answer of this world has: 4.2.5 has no consortiums, and proposals of this kind have no options. */
const UNSEEN = /^(AssetBreakdownInfo|MemberWithTokenInfo|MemberStatsInfo|MintTokenWithStats|MintStatsInfo)\.|^GovernanceProposal\.options$/;

describe('methods of the client', () => {
  let world: OceanWorld;
  let answers: ClientAnswers;

  before(async () => {
    world = await OceanWorld.start();
    answers = new ClientAnswers(world);
  });
  after(() => world?.destroy());

  test('every method answers with all declared members, of the declared types', async () => {
    await answers.callEveryMethod();
    const called = [...answers.methods, 'Consortium.getMemberStats'];
    assert.deepEqual(called.sort(), [...answers.check.forms.methods.keys()].sort());
    const unseen = [...answers.check.membersOfResults()].filter((member) => !answers.check.seen.has(member) && !UNSEEN.test(member));
    assert.deepEqual(unseen, []);
    assert.deepEqual([...answers.check.checked].sort(), Object.keys(TEXTS).sort());
  });

  test('blocks, transactions, inputs and outputs are those of getblock', async () => {
    const outputs = new Map<string, Members>();
    const blocks = answers.items('Blocks.list');
    for (const shown of blocks.toReversed()) {
      const block = await world.exact<GivenBlock>('getblock', await world.ask('getblockhash', shown.height), 2);
      assert.deepEqual(shown, defined(blockOf(block)));
      for (const [order, tx] of block.tx.entries()) {
        const { txid, vin, vout } = tx;
        assert.deepEqual(answers.of('Transactions.get', txid), transactionOf(block, order));
        const shownOutputs = answers.of<Members[]>('Transactions.getVouts', txid);
        assert.deepEqual(shownOutputs, defined(vout.map((output) => outputOf(tx, output))));
        for (const { id, n, value, tokenId, script } of shownOutputs) {
          const { hex } = script as { hex: string };
          outputs.set(`${txid}${n}`, defined({ id, txid, n, value, tokenId, script: { hex } }));
        }
        const isEvm = vin.length === 2 && vin.every(({ txid }) => txid === '0'.repeat(64));
        const inputs = isEvm ? [] : vin.map((input) => inputOf(txid, input, outputs.get(`${input.txid}${input.vout}`)));
        assert.deepEqual(answers.of('Transactions.getVins', txid), defined(inputs).sort(byId));
      }
    }
    assert.equal(blocks.length, (await world.ask<number>('getblockcount')) + 1);
  });

  test('tokens, masternodes, oracles and prices are those of the operations', async () => {
    const tokens = await world.exact<Named>('listtokens', {}, true);
    assert.deepEqual(answers.items('Tokens.list'), defined(Object.entries(tokens).map(([id, token]) => tokenOf(id, token))));
    const nodes = Object.entries(await world.exact<Named>('listmasternodes', {}, true)).map(([id, node]) => masternodeOf(id, node));
    assert.deepEqual(
      answers.items('Masternodes.list'),
      defined(nodes).sort((a, b) => (a.sort < b.sort ? 1 : -1)),
    );
    const oracles = await world.ask<string[]>('listoracles');
    assert.deepEqual(answers.members('Oracles.list', 'id').flat(), oracles.sort().reverse());
    for (const { id, weightage, priceFeeds } of answers.items('Oracles.list')) {
      const given = await world.exact<Members & { tokenPrices: Members[] }>('getoracledata', id);
      const own = given.tokenPrices.find(({ token }) => token === FEED.token);
      const [newest] = answers.of<Members[]>('Oracles.getPriceFeed', id, FEED.token, FEED.currency);
      assert.deepEqual([weightage, sorted(priceFeeds)], [given.weightage, sorted(given.priceFeeds)]);
      assert.deepEqual([newest?.amount, newest?.time], [plain(own?.amount ?? own?.price), own?.timestamp]);
    }
    const now = await world.exact<Members[]>('listprices');
    for (const { price } of answers.items<{ price: PriceFeed }>('Prices.list')) {
      const { token, currency, aggregated } = price;
      const given = now.find((each) => each.token === token && each.currency === currency);
      assert.ok(given?.ok !== true || aggregated.amount === given.price, `${token} ${aggregated.amount}`);
      assert.deepEqual(answers.of<Members[]>('Prices.getFeed', token, currency)[0], price);
      const [lasting] = answers.of<PriceFeed[]>('Prices.getFeedWithInterval', token, currency, 86_400);
      assert.deepEqual([lasting?.token, lasting?.currency], [token, currency]);
    }
    const fixed = await world.exact<Members>('getfixedintervalprice', `${FEED.token}/${FEED.currency}`);
    const [active] = answers.of<ActivePrice[]>('Prices.getFeedActive', FEED.token, FEED.currency);
    assert.deepEqual([active?.active?.amount, active?.next?.amount, active?.isLive], [fixed.activePrice, fixed.nextPrice, fixed.isLive]);
  });

  test('schemes, collaterals, loan tokens, vaults and auctions are those of the operations', async () => {
    const schemes = await world.exact<Members[]>('listloanschemes');
    assert.deepEqual(
      answers.items('Loan.listScheme'),
      schemes.map(({ id, mincolratio, interestrate }) => ({ id, minColRatio: plain(mincolratio), interestRate: plain(interestrate) })),
    );
    const collaterals = await world.exact<Members[]>('listcollateraltokens');
    assert.deepEqual(
      answers
        .items<TermsOfToken>('Loan.listCollateralToken')
        .map((each) => [each.tokenId, each.token.symbolKey, each.factor, each.fixedIntervalPriceId]),
      collaterals.map((each) => [each.tokenId, each.token, plain(each.factor), each.fixedIntervalPriceId]).sort(),
    );
    const loanTokens = await world.exact<(Members & { token: Named })[]>('listloantokens');
    assert.deepEqual(
      answers
        .items<TermsOfToken>('Loan.listLoanToken')
        .map(({ token, interest, fixedIntervalPriceId }) => [token.id, token.symbol, interest, fixedIntervalPriceId]),
      loanTokens
        .flatMap(({ token, interest, fixedIntervalPriceId }) =>
          Object.entries(token).map(([id, { symbol, creationTx }]) => [creationTx, id, symbol, plain(interest), fixedIntervalPriceId]),
        )
        .sort()
        .map(([, ...rest]) => rest),
    );
    const vaults = await world.exact<Members[]>('listvaults');
    assert.deepEqual(
      answers.members('Loan.listVault', 'vaultId').flat(),
      vaults.map(({ vaultId }) => vaultId),
    );
    for (const vault of answers.items('Loan.listVault')) {
      assert.deepEqual(vaultFacts(vault), vaultFactsOf(await world.exact('getvault', vault.vaultId)));
      assert.deepEqual(answers.of('Loan.getVault', vault.vaultId), vault);
    }
    const [auction] = answers.items<LiquidatedVault>('Loan.listAuction');
    assert.deepEqual(
      answers.items('Loan.listAuction'),
      answers.items('Loan.listVault').filter(({ state }) => state === 'IN_LIQUIDATION'),
    );
    const bids = answers.items('Loan.listVaultAuctionHistory');
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
    const tokens = await world.exact<Named>('listtokens', {}, true);
    const pools = Object.entries(await world.exact<Named>('listpoolpairs'));
    assert.deepEqual(
      answers
        .items<PoolPair>('PoolPairs.list')
        .map(({ totalLiquidity, apr, volume, ...pool }) => ({ ...pool, liquidity: totalLiquidity.token })),
      defined(pools.map(([id, pool]) => poolOf(id, pool, tokens))),
    );
    let count = 0;
    for (const { id } of answers.items('PoolPairs.list')) {
      const swaps = answers.of<Swap[]>('PoolPairs.listPoolSwapsVerbose', id);
      for (const { block, txid, txno, from, to } of swaps) {
        const record = await world.exact<Members & { amounts: string[] }>('getaccounthistory', to?.address, block.height, txno);
        assert.deepEqual([record.txid, record.amounts.includes(`${to?.amount}@${to?.symbol}`), from !== undefined], [txid, true, true]);
        count += 1;
      }
      const sum = swaps.reduce((total, { fromAmount }) => total + Number(fromAmount), 0);
      for (const interval of [3600, 86_400]) {
        const buckets = answers.of<{ aggregated: { amounts: Record<string, string> } }[]>('PoolPairs.listPoolSwapAggregates', id, interval);
        const amounts = buckets.flatMap(({ aggregated }) => Object.values(aggregated.amounts));
        assert.equal(
          amounts.reduce((total, amount) => total + Number(amount), 0),
          sum,
        );
      }
    }
    // One swap in one pool, and one along three.
    assert.equal(count, 4);
    const proposals = await world.exact<Members[]>('listgovproposals', { pagination: { limit: 0 } });
    assert.deepEqual(answers.of('Governance.listGovProposals'), proposals.map(proposalOf));
    for (const { proposalId } of proposals) {
      assert.deepEqual(answers.of('Governance.getGovProposal', proposalId), proposalOf(await world.exact('getgovproposal', proposalId)));
      const votes = answers.calls('Governance.listGovProposalVotes').filter(({ args }) => (args[0] as Members).id === proposalId);
      for (const { value } of votes) assert.deepEqual(value, await world.exact('listgovproposalvotes', proposalId, 'all', 0));
    }
  });

  test('coins, balances and history of addresses are those of the operations', async () => {
    for (const { args } of answers.calls('Address.getBalance')) {
      const [address] = args;
      const coins = await world.exact<{ total_amount: string; unspents: Members[] }>('scantxoutset', 'start', [`addr(${address})`]);
      assert.equal(answers.of('Address.getBalance', address), coins.total_amount);
      assert.deepEqual(
        answers
          .of<{ vout: Members; block: Members }[]>('Address.listTransactionUnspent', address)
          .map(({ vout, block }) => `${block.height} ${vout.txid} ${vout.n} ${vout.value}`)
          .sort(),
        coins.unspents.map(({ height, txid, vout, amount }) => `${height} ${txid} ${vout} ${amount}`).sort(),
      );
      const held = Object.entries(await world.exact<Record<string, string>>('getaccount', address, {}, true));
      assert.deepEqual(
        answers.of<Members[]>('Address.listToken', address).map(({ id, amount }) => [id, amount]),
        held,
      );
      const records = await world.exact<Members[]>('listaccounthistory', address, { no_rewards: true, limit: 10_000 });
      assert.deepEqual(
        answers.of<Members[]>('Address.listAccountHistory', address),
        records.filter(({ type }) => !['sent', 'receive', 'blockReward'].includes(type as string)).map(recordOf),
      );
    }
  });

  test('refusals reach the client with their status and text', async () => {
    const { address, governance, loan, masternodes, oracles, poolpairs, rawtx, rpc, tokens, transactions } = world.client;
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
    assert.deepEqual([await world.client.blocks.get('9999999'), await world.client.prices.get('NO', 'USD')], [undefined, undefined]);
  });

  test('the JSON-RPC client of the package gets results and errors', async () => {
    const rpc = new WhaleRpcClient(`${world.url}/v0/regtest/rpc`);
    assert.equal(await rpc.blockchain.getBlockCount(), await world.ask('getblockcount'));
    await assert.rejects(rpc.blockchain.getBlock('00', 1), {
      name: 'Error',
      message: "RpcApiError: 'blockhash must be of length 64 (not 2, for '00')', code: -8, method: getblock",
    });
  });

  test('statistics are those of the operations', async () => {
    const stats = await world.client.stats.get();
    const { totals } = await world.ask<{ totals: Members }>('getloaninfo');
    const { schemes, loanTokens, collateralTokens, openVaults, openAuctions, collateralValue, loanValue } = totals;
    assert.deepEqual(stats.loan, {
      count: { schemes, loanTokens, collateralTokens, openVaults, openAuctions },
      value: { collateral: collateralValue, loan: loanValue },
    });
    const masternodes = Object.values(await world.ask<Named>('listmasternodes')).filter(({ resignHeight }) => resignHeight === -1);
    const [tokens, prices] = [answers.items('Tokens.list').length, answers.items('Prices.list').length];
    assert.deepEqual(stats.count, { blocks: await world.ask('getblockcount'), tokens, prices, masternodes: masternodes.length });
    assert.deepEqual(
      stats.masternodes.locked.map(({ weeks, count }) => [weeks, count]),
      [
        [0, masternodes.length - 1],
        [260, 1],
      ],
    );
    const burnt = await world.ask<Members>('getburninfo');
    const { paybackburn, paybackburntokens, ...burn } = await world.client.stats.getBurn();
    assert.deepEqual([paybackburn, paybackburntokens], [0, burnt.paybackburn]);
    assert.deepEqual(burn, Object.fromEntries(Object.keys(burn).map((name) => [name, burnt[name]])));
    const { fee, auction, emission } = stats.burned;
    assert.deepEqual([fee, auction, emission], [burnt.feeburn, burnt.auctionburn, burnt.emissionburn]);
    assert.equal(stats.blockchain.difficulty, await world.ask('getdifficulty'));
    const { version, subversion, protocolversion } = await world.ask<Members>('getnetworkinfo');
    assert.deepEqual(stats.net, { version, subversion, protocolversion });
    const volume = answers.items<PoolPair>('PoolPairs.list').reduce((sum, { volume: { h24 } }) => sum + h24, 0);
    assert.ok(volume > 0 && stats.price.usd > 0);
    // No swap used the pool of 2,000 USDT and 1,000 DFI.
    assert.equal(stats.price.usdt, 2);
  });
});
