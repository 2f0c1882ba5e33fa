import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type CallOptions, type Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { AccountsServiceClient } from '../../gen/ts/dfi/accounts/v1/accounts.js';
import { BlockchainServiceClient } from '../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { NodeServiceClient } from '../../gen/ts/dfi/node/v1/node.js';
import { OraclesServiceClient } from '../../gen/ts/dfi/oracles/v1/oracles.js';
import { WalletServiceClient } from '../../gen/ts/dfi/wallet/v1/wallet.js';
import { Daemon } from '../daemon.js';
import { FOUNDER, MockTimeMinting, OPERATOR, upgradedFlags } from '../regtest.js';

const COIN = 100_000_000n;

type Unary<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Response) => void,
) => unknown;

const metadata = new Metadata();
metadata.set('authorization', Daemon.authorization);

/** A call of a generated client as a promise. */
function ask<Request, Response>(client: Client, method: Unary<Request, Response>, request: Request): Promise<Response> {
  return new Promise((resolve, reject) => {
    method.call(client, request, metadata, {}, (error, response) => (error ? reject(error) : resolve(response)));
  });
}

describe('a tour over gRPC alone', () => {
  const daemon = new Daemon(upgradedFlags('fortcanninghill'));
  const minting = new MockTimeMinting((seconds) => ask(node, node.setMockTime, { timestamp: BigInt(seconds) }));
  let accounts: AccountsServiceClient;
  let chain: BlockchainServiceClient;
  let node: NodeServiceClient;
  let oracles: OraclesServiceClient;
  let wallet: WalletServiceClient;
  let [alice, bob] = ['', ''];

  before(async () => {
    await daemon.start();
    const at = [`127.0.0.1:${daemon.grpcPort}`, credentials.createInsecure()] as const;
    accounts = new AccountsServiceClient(...at);
    chain = new BlockchainServiceClient(...at);
    node = new NodeServiceClient(...at);
    oracles = new OraclesServiceClient(...at);
    wallet = new WalletServiceClient(...at);
    for (const { key } of [OPERATOR, FOUNDER]) await ask(wallet, wallet.importPrivKey, { privkey: key });
    await mint(110);
    [alice, bob] = [await newAddress(), await newAddress()];
  });

  after(async () => {
    for (const client of [accounts, chain, node, oracles, wallet]) client?.close();
    await daemon.destroy();
  });

  function mint(count = 1): Promise<void> {
    return minting.mint(count, async (nblocks) => (await ask(node, node.generateToAddress, { nblocks, address: FOUNDER.address })).minted);
  }

  async function newAddress(): Promise<string> {
    return (await ask(wallet, wallet.getNewAddress, { addressType: 'legacy' })).address;
  }

  /** Satoshis of an account by token id. */
  async function balances(owner: string): Promise<Record<string, bigint>> {
    const answer = await ask(accounts, accounts.getAccount, { owner, indexedAmounts: true });
    const form = answer.balances?.form;
    return form?.$case === 'indexed' ? form.value.amounts : {};
  }

  const text = (value: string) => ({ form: { $case: 'text' as const, value } });

  test('a token is created and minted', async () => {
    const { txid } = await ask(node, node.createToken, {
      metadata: { symbol: 'GOLD', name: 'shiny gold', collateraladdress: alice },
      inputs: [],
    });
    await mint();
    const { tokens } = await ask(node, node.getToken, { key: 'GOLD#128' });
    assert.equal(tokens[128]?.creationtx, txid);
    assert.equal(tokens[128]?.collateraladdress, alice);
    await ask(node, node.mintTokens, { amounts: text('300@GOLD#128'), inputs: [] });
    await mint();
    assert.deepEqual(await balances(alice), { 128: 300n * COIN });
    assert.equal((await ask(node, node.getToken, { key: '128' })).tokens[128]?.minted, 300n * COIN);
  });

  test('it is sent between accounts, with amounts as text and as numbers', async () => {
    const exact = { form: { $case: 'exact' as const, value: { amounts: [{ tokenId: 128, amount: 1n }] } } };
    await ask(accounts, accounts.accountToAccount, { from: alice, to: { accounts: { [bob]: text('100@GOLD#128') } }, inputs: [] });
    await mint();
    await ask(accounts, accounts.accountToAccount, { from: bob, to: { accounts: { [alice]: exact } }, inputs: [] });
    await mint();
    assert.deepEqual(await balances(alice), { 128: 200n * COIN + 1n });
    assert.deepEqual(await balances(bob), { 128: 100n * COIN - 1n });
  });

  test('DFI is moved from outputs to an account and back', async () => {
    await ask(accounts, accounts.utxosToAccount, { amounts: { accounts: { [bob]: text('7@DFI') } }, inputs: [] });
    await mint();
    assert.equal((await balances(bob))[0], 7n * COIN);
    const { txid } = await ask(accounts, accounts.accountToUtxos, { from: bob, to: { accounts: { [alice]: text('2.5') } }, inputs: [] });
    await mint();
    assert.equal((await balances(bob))[0], 450_000_000n);
    const output = await ask(chain, chain.getTxOut, { txid, n: 2 });
    assert.equal(output.output?.value, 250_000_000n);
    assert.deepEqual(output.output?.scriptpubkey?.addresses?.addresses, [alice]);
  });

  // Excluding the start, the default of the operations document, is about the entry that a request names.
  test('lists without a start begin with their first entry, which is DFI', async () => {
    for (const page of [{}, { includingStart: false }, { page: '' }]) {
      const account = await ask(accounts, accounts.getAccount, { owner: bob, ...page });
      const own = await ask(accounts, accounts.getTokenBalances, { ...page });
      for (const { balances } of [account, own]) {
        assert.ok(balances?.form?.$case === 'list');
        assert.deepEqual([balances.form.value.amounts[0]?.tokenId, balances.form.value.amounts[0]?.amount], [0, 450_000_000n]);
      }
      const all = await ask(accounts, accounts.listAccounts, { ...page });
      assert.equal(all.balances.length, 3);
      const history = await ask(accounts, accounts.listAccountHistory, {
        owner: { form: { $case: 'owner', value: bob } },
        txtypes: undefined,
        ...page,
      });
      assert.equal(history.records[0]?.type, 'AccountToUtxos');
    }
    const after = await ask(accounts, accounts.getAccount, { owner: bob, start: '0' });
    assert.ok(after.balances?.form?.$case === 'list');
    assert.deepEqual(
      after.balances.form.value.amounts.map(({ tokenId }) => tokenId),
      [128],
    );
  });

  test('an oracle is appointed, publishes a price, and it is read', async () => {
    const { txid: oracleid } = await ask(oracles, oracles.appointOracle, {
      address: bob,
      pricefeeds: [{ currency: 'USD', token: 'GOLD' }],
      weightage: 10n,
      inputs: [],
    });
    await mint();
    const { time } = await tip();
    const prices = [{ currency: 'USD', tokenamount: '12.5@GOLD' }];
    await ask(oracles, oracles.setOracleData, { oracleid, timestamp: time, prices, inputs: [] });
    await mint();
    const { price } = await ask(oracles, oracles.getPrice, { token: 'GOLD', currency: 'USD' });
    assert.equal(price, 1_250_000_000n);
    const raw = await ask(oracles, oracles.listLatestRawPrices, { token: 'GOLD', currency: 'USD' });
    assert.deepEqual(
      raw.prices.map(({ oracleid: id, rawprice, weightage, state }) => [id, rawprice, weightage, state]),
      [[oracleid, 1_250_000_000n, 10, 'live']],
    );
  });

  test('a governance variable changes at a height', async () => {
    const name = 'ORACLE_DEVIATION';
    const deviation = async () => (await ask(chain, chain.getGov, { name })).variables[name]?.value?.value;
    const before = await deviation();
    const { height } = await tip();
    const variables = { [name]: { value: { $case: 'text' as const, value: '0.07' } } };
    await ask(chain, chain.setGovHeight, { variables, height: height + 5, inputs: [] });
    await mint(4);
    assert.equal(await deviation(), before);
    assert.notEqual(before, 7_000_000n);
    await mint();
    assert.equal(await deviation(), 7_000_000n);
  });

  /** Height and time of the tip. */
  async function tip(): Promise<{ readonly height: number; readonly time: bigint }> {
    const { blockhash } = await ask(chain, chain.getBestBlockHash, {});
    const { header } = await ask(chain, chain.getBlockHeader, { blockhash });
    assert.equal(header?.$case, 'object');
    const { height, time } = header.value as { readonly height: number; readonly time: bigint | number };
    return { height: Number(height), time: BigInt(time) };
  }

  test('impossible operations are refused with the error texts of defid', async () => {
    const wanted = { from: bob, to: { accounts: { [alice]: text('1000@GOLD#128') } }, inputs: [] };
    await assert.rejects(ask(accounts, accounts.accountToAccount, wanted), /not enough balance on owner's account/);
  });
});
