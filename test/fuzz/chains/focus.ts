import type { Upgrade } from '../../../src/params/upgrades.js';
import type { DefidVersion } from '../calls/defid.js';

/** Part of the rules that most operations of a run concern. */
export interface Focus {
  /** Frequencies of operations by method; those that are missing are not drawn. */
  readonly weights: Readonly<Record<string, number>>;
  /** Names of governance that most of its changes concern; by default all. */
  readonly governs?: RegExp | undefined;
  /** First upgrade that is postponed, and its height. */
  readonly from?: Upgrade | undefined;
  readonly fromHeight?: number | undefined;
  /** Blocks that are sometimes made without operations, at most. */
  readonly idleBlocks?: number;
  /** Attributes that are set before the first operation, in this order. */
  readonly attributes?: readonly Readonly<Record<string, string>>[];
  readonly version: DefidVersion;
  /** True if both nodes disconnect blocks at times; by default, on 4.2.5 only ours does. */
  readonly bothRewind?: boolean;
}

const FOCUSES: Readonly<Record<string, Focus>> = {
  // EVM transactions and transfers, for changes of blocks that contain them.
  evm: { version: '4.2.5', weights: { transferdomain: 10, eth_sendRawTransaction: 30, accounttoaccount: 1, utxostoaccount: 1 } },
  // Limits of future swaps: DFIP2211F.
  limits: {
    version: '4.2.5',
    bothRewind: true,
    weights: {
      futureswap: 30,
      withdrawfutureswap: 6,
      poolswap: 8,
      addpoolliquidity: 4,
      removepoolliquidity: 3,
      setgov: 8,
      setgovheight: 2,
      unsetgov: 1,
      accounttoaccount: 2,
      setoracledata: 3,
    },
    governs: /params.dfip2211f|params.dfip2203/,
    idleBlocks: 6,
    attributes: [
      { 'v0/params/dfip2203/active': 'false' },
      { 'v0/params/dfip2203/block_period': '3' },
      {
        'v0/params/dfip2211f/active': 'true',
        'v0/params/dfip2211f/liquidity_calc_sampling_period': '1',
        'v0/params/dfip2211f/block_period': '6',
        'v0/params/dfip2203/active': 'true',
      },
    ],
  },
  // Vaults, loans and auctions under interest of either sign that exceeds the loans within a few blocks.
  loans: {
    version: '3.2.8',
    bothRewind: false,
    weights: {
      createvault: 2,
      updatevault: 4,
      closevault: 3,
      deposittovault: 12,
      withdrawfromvault: 8,
      takeloan: 16,
      paybackloan: 18,
      paybackwithcollateral: 6,
      placeauctionbid: 14,
      setoracledata: 8,
      createloanscheme: 2,
      updateloanscheme: 3,
      setdefaultloanscheme: 1,
      destroyloanscheme: 2,
      updateloantoken: 1,
      futureswap: 3,
      poolswap: 5,
      accounttoaccount: 6,
      setgov: 10,
      setgovheight: 1,
    },
    governs: /minting_interest|payback|collateral_enabled|dusd_|token.*dfip2203/,
    idleBlocks: 25,
  },
  // Interchain exchange (ICX) before Eunos Paya and across it.
  exchange: {
    version: '3.2.8',
    bothRewind: true,
    from: 'eunosPaya',
    fromHeight: 900,
    weights: {
      icx_createorder: 8,
      icx_makeoffer: 14,
      icx_submitdfchtlc: 18,
      icx_submitexthtlc: 18,
      icx_claimdfchtlc: 8,
      icx_closeorder: 1,
      icx_closeoffer: 2,
      accounttoaccount: 2,
      utxostoaccount: 4,
      poolswap: 2,
      setgov: 1,
    },
    governs: /ICX/,
    idleBlocks: 60,
  },
};

/** Focus named by the words of a command line, `focus=limits`. @throws {RangeError} if there is none of this name */
export function focusIn(words: readonly string[]): Focus | undefined {
  const name = words.flatMap((word) => /^focus=(.+)$/.exec(word)?.[1] ?? [])[0];
  const focus = name === undefined ? undefined : FOCUSES[name];
  if (name !== undefined && !focus) throw new RangeError(`no focus: ${name}`);
  return focus;
}
