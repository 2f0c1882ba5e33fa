import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon, programPath } from '../daemon.js';
import { FOUNDER, OPERATOR, upgradedFlags } from '../regtest.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 4);
/** Blocks of each kind, and signed transfers in each. */
const KINDS = [
  { transfers: 0, blocks: 1_000 },
  { transfers: 20, blocks: 100 },
  { transfers: 100, blocks: 300 },
];
/** Part of the blocks of a kind that is not timed, because code is compiled meanwhile. */
const WARM_UP = 0.5;
const MATURITY = 101;
/** Coins that pay the transfers, DFI of each, and the fee of a transfer. */
const COINS = 100;
const COIN = 20;
const FEE = 0.001;
const BLOCK_SEC = 5;
const DAY_SEC = 86_400;
const TICKS_PER_SEC = 100;

interface Kind {
  readonly name: string;
  /** Blocks below the others, which are not timed. */
  readonly below: readonly string[];
  readonly blocks: readonly string[];
}

/** Milliseconds of a block. */
interface Figure {
  readonly wall: number;
  readonly cpu: number;
}

/** Columns of `/proc/PID/stat` after the name of the program: ticks of the processor in the program and in the system. */
const [USER_TICKS, SYSTEM_TICKS] = [11, 12];

/**
 * Blocks without EVM activity on a network whose EVM is on, submitted at the tip to several builds in turns. `BENCH_BUILDS` names the folders of other
 * builds of this project, whose `dist` exists; the first one is compared with the current one. Linux only.
 */
export async function run(): Promise<void> {
  const { kinds, time } = await makeChain();
  const others = (process.env.BENCH_BUILDS ?? '').split(',').filter((folder) => folder !== '');
  const builds = [...others.map((folder) => join(folder, 'dist', 'main.js')), programPath];
  const figures = new Map<string, Figure[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const build of round % 2 === 0 ? builds : [...builds].reverse()) {
      const daemon = new Daemon([...upgradedFlags(), '-txindex', '-acindex'], undefined, build);
      await daemon.start();
      await daemon.ask('setmocktime', time);
      for (const { name, below, blocks } of kinds) {
        const warm = Math.floor(blocks.length * WARM_UP);
        await submit(daemon, [...below, ...blocks.slice(0, warm)]);
        note(figures, `${name} ${build}`, await submit(daemon, blocks.slice(warm)));
      }
      await daemon.destroy();
    }
  }
  for (const { name } of kinds) {
    const [first] = builds.map((build) => leastOf(figures.get(`${name} ${build}`) ?? []));
    for (const build of builds) {
      const { wall, cpu } = leastOf(figures.get(`${name} ${build}`) ?? []);
      const ratio = first ? `, ${(wall / first.wall).toFixed(3)} and ${(cpu / first.cpu).toFixed(3)} of the first build` : '';
      console.log(`${name}: ${wall.toFixed(2)} ms, processor time ${cpu.toFixed(2)} ms${ratio}; ${build}`);
    }
  }
}

function note(figures: Map<string, Figure[]>, key: string, figure: Figure): void {
  figures.set(key, [...(figures.get(key) ?? []), figure]);
}

/** The least of each: other work on the machine only adds to it. */
function leastOf(figures: readonly Figure[]): Figure {
  return { wall: Math.min(...figures.map(({ wall }) => wall)), cpu: Math.min(...figures.map(({ cpu }) => cpu)) };
}

async function submit(daemon: Daemon, blocks: readonly string[]): Promise<Figure> {
  const cpuBefore = cpuMs(daemon);
  const from = performance.now();
  for (const block of blocks) {
    const refusal = await daemon.ask('submitblock', block);
    if (refusal) throw new Error(String(refusal));
  }
  return { wall: (performance.now() - from) / blocks.length, cpu: (cpuMs(daemon) - cpuBefore) / blocks.length };
}

function cpuMs({ process: child }: Daemon): number {
  const [, columns] = readFileSync(`/proc/${child?.pid}/stat`, 'utf8').split(') ') as [string, string];
  const ticks = columns.split(' ').map(Number);
  return (((ticks[USER_TICKS] ?? 0) + (ticks[SYSTEM_TICKS] ?? 0)) * 1000) / TICKS_PER_SEC;
}

/** Blocks of each kind, with the EVM on, and the time of the last one. */
async function makeChain(): Promise<{ readonly kinds: readonly Kind[]; readonly time: number }> {
  const daemon = new Daemon([...upgradedFlags(), '-fallbackfee=0.0002']);
  try {
    await daemon.start();
    for (const { key } of [FOUNDER, OPERATOR]) await daemon.ask('importprivkey', key);
    let time = Math.floor(Date.now() / 1000) - DAY_SEC;
    const mint = async (count: number): Promise<string[]> => {
      const blocks: string[] = [];
      for (let i = 0; i < count; i++) {
        time += BLOCK_SEC;
        await daemon.ask('setmocktime', time);
        await daemon.ask('generatetoaddress', 1, FOUNDER.address);
        blocks.push((await daemon.ask('getblock', await daemon.ask('getbestblockhash'), 0)) as string);
      }
      return blocks;
    };
    let below = await mint(MATURITY);
    await daemon.ask('setgov', { ATTRIBUTES: { 'v0/params/feature/evm': 'true' } });
    below.push(...(await mint(2)));
    const addresses: string[] = [];
    for (let i = 0; i < COINS; i++) addresses.push((await daemon.ask('getnewaddress')) as string);
    const kinds: Kind[] = [];
    for (const { transfers, blocks } of KINDS) {
      if (transfers > 0) {
        await daemon.ask('sendmany', '', Object.fromEntries(addresses.map((address) => [address, COIN])));
        below.push(...(await mint(1)));
      }
      const made: string[] = [];
      for (let i = 0; i < blocks; i++) {
        await transfer(daemon, addresses, transfers);
        made.push(...(await mint(1)));
      }
      kinds.push({ name: `${transfers} transfers`, below, blocks: made });
      below = [];
    }
    return { kinds, time };
  } finally {
    await daemon.destroy();
  }
}

/** Spends coins of some addresses, each by a transaction of one signature. */
async function transfer(daemon: Daemon, addresses: readonly string[], count: number): Promise<void> {
  if (count === 0) return;
  type Unspent = { readonly txid: string; readonly vout: number; readonly address: string; readonly amount: number };
  const unspent = (await daemon.ask('listunspent', 1, 9_999_999, addresses)) as Unspent[];
  for (const { txid, vout, address, amount } of unspent.filter((each) => each.amount >= 1).slice(0, count)) {
    const raw = await daemon.ask('createrawtransaction', [{ txid, vout }], { [address]: (amount - FEE).toFixed(8) });
    const { hex } = (await daemon.ask('signrawtransactionwithwallet', raw)) as { readonly hex: string };
    await daemon.ask('sendrawtransaction', hex);
  }
}
