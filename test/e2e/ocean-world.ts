import assert from 'node:assert/strict';
import { WhaleApiClient } from '@defichain/whale-api-client';
import { Daemon, freePort } from '../daemon.js';
import { until } from '../until.js';
import type { Members } from './ocean-shapes.js';

export const FOUNDER = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
export const FEED = { token: 'TSLA', currency: 'USD' };

/** A development network with all kinds of state, its Ocean server, and the published client of that. */
export class OceanWorld {
  private constructor(
    private readonly daemon: Daemon,
    /** URL of the Ocean server, without a path. */
    readonly url: string,
    readonly client: WhaleApiClient,
  ) {}

  /** Starts the daemon, makes the state, and waits until Ocean has indexed it. */
  static async start(): Promise<OceanWorld> {
    const port = await freePort();
    const daemon = new Daemon([
      '-dev',
      '-devmine=off',
      '-devprices=0',
      '-oceanarchive',
      '-oceanarchiveserver',
      `-oceanarchiveport=${port}`,
    ]);
    const url = `http://127.0.0.1:${port}`;
    const world = new OceanWorld(daemon, url, new WhaleApiClient({ url, network: 'regtest', version: 'v0' }));
    try {
      await daemon.start();
      await world.#makeState();
      const tip = await world.ask<string>('getbestblockhash');
      await until(async () => (await (await fetch(`${url}/v0/regtest/blocks/highest`)).text()).includes(`"${tip}"`), 'indexed');
    } catch (error) {
      await world.destroy();
      throw error;
    }
    return world;
  }

  async destroy(): Promise<void> {
    await this.daemon.destroy();
  }

  async ask<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    return (await this.daemon.ask(method, ...params)) as T;
  }

  /** Answer of an operation, its amounts as texts of eight decimals. */
  async exact<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const text = await this.daemon.post(JSON.stringify({ id: 1, method, params }));
    const { result, error } = JSON.parse(text.replaceAll(/(?<=[:,[])-?\d+\.\d{8}(?=[,}\]])/g, '"$&"')) as { result: T; error: unknown };
    assert.equal(error, null, method);
    return result;
  }

  async #mint(count = 1): Promise<void> {
    await this.ask('generatetoaddress', count, FOUNDER);
  }

  async #mine(method: string, ...params: readonly unknown[]): Promise<string> {
    const txid = await this.ask<string>(method, ...params);
    await this.#mint();
    return txid;
  }

  /** Adds state that the world of `-dev` lacks: prices in USD, fees and rewards of pools, swaps, bids, votes, active prices, a resigned masternode. */
  async #makeState(): Promise<void> {
    await this.#mine('createmasternode', await this.ask('getnewaddress', '', 'legacy'), '', [], 'FIVEYEARTIMELOCK');
    const resigned = await this.#mine('createmasternode', await this.ask('getnewaddress', '', 'legacy'));
    await this.#mine('createtoken', { symbol: 'USDT', name: 'Tether', isDAT: true, collateralAddress: FOUNDER });
    await this.#mine('minttokens', ['100000@USDT']);
    await this.#mine('createpoolpair', {
      tokenA: 'USDT',
      tokenB: 'DFI',
      commission: '0.002',
      status: true,
      ownerAddress: FOUNDER,
      customRewards: ['1@DFI'],
    });
    await this.#mine('addpoolliquidity', { [FOUNDER]: ['2000@USDT', '1000@DFI'] }, FOUNDER);
    const fee = (side: string) => `v0/poolpairs/6/token_${side}_fee_pct`;
    await this.#mine('setgov', { ATTRIBUTES: { [fee('a')]: '0.01', [fee('b')]: '0.02' } });
    const [auction] = await this.ask<{ vaultId: string }[]>('listauctions');
    const [first, second] = await this.ask<{ vaultId: string; ownerAddress: string }[]>('listvaults');
    const bidders = [first?.ownerAddress, second?.ownerAddress];
    for (const [i, bidder] of bidders.entries()) await this.#mine('placeauctionbid', auction?.vaultId, 0, bidder, `${8 + i}@TSLA`);
    await this.#mine('poolswap', { from: FOUNDER, tokenFrom: 'DFI', amountFrom: 5, to: bidders[0], tokenTo: 'BTC' });
    await this.#mine('compositeswap', { from: bidders[1], tokenFrom: 'TSLA', amountFrom: 1, to: bidders[1], tokenTo: 'ETH' });
    const [proposal] = await this.ask<{ proposalId: string }[]>('listgovproposals');
    const voter = Object.entries(await this.ask<Record<string, Members>>('listmasternodes')).find(([, { mintedBlocks }]) => mintedBlocks);
    await this.#mine('votegov', proposal?.proposalId, voter?.[0], 'yes');
    const oracles = [...(await this.ask<string[]>('listoracles')), await this.#mine('appointoracle', FOUNDER, [FEED], 10)];
    for (const oracle of oracles) {
      const { time } = await this.ask<{ time: number }>('getblock', await this.ask('getbestblockhash'));
      await this.#mine('setoracledata', oracle, time, [{ currency: 'USD', tokenAmount: '210.5@TSLA' }]);
    }
    // The auction must not end.
    await this.#mint(12);
    await this.#mine('resignmasternode', resigned);
  }
}
