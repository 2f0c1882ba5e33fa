/**
 * Makes the data directory of a long chain: `tsx test/bench/data/long-chain.ts DIRECTORY [BLOCKS]`, 2,000,000 empty blocks by default.
 *
 * They are blocks of regtest with `-dummypos`, the same in each run: one every 600 seconds, without transactions but the coinbase, whose
 * output is unspendable. Such a block changes nothing in the state, so all but the first and the last ones are stored and marked as
 * connected without running the rules. The first and the last ones are accepted and connected as blocks of the operator are.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BlockFiles } from '../../../src/chain/block-files.js';
import { Chain } from '../../../src/chain/chain.js';
import { ChainDatabase, chainColumns } from '../../../src/chain/database.js';
import { undoLogs } from '../../../src/chain/records.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { indexColumns } from '../../../src/indexes/index.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { regtest } from '../../../src/params/regtest.js';
import type { Block } from '../../../src/primitives/block.js';
import { HotStore } from '../../../src/storage/hot-store.js';
import { RocksStore } from '../../../src/storage/rocks.js';
import type { Store } from '../../../src/storage/view.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf } from '../../chains/block-builder.js';

const SPACING_SEC = 600;
const UNSPENDABLE = Uint8Array.of(0x6a);
/** Blocks at either end that are connected. */
const CHECKED_BLOCKS = 300;
const FLUSHED_BLOCKS = 5_000;
const REPORTED_BLOCKS = 100_000;

/** @param directory data directory of a node, without the folder of the network; it must not exist */
export async function makeLongChain(directory: string, blocks: number, report: (text: string) => void = () => {}): Promise<void> {
  const params = regtest({ dummyPos: true });
  const network = join(directory, 'regtest');
  mkdirSync(network, { recursive: true });
  const rocks = await RocksStore.open(join(network, 'chainstate'), [...chainColumns, ...dfiColumns, ...indexColumns]);
  const store = new HotStore(rocks, { columns: dfiColumns, maxBytes: 2 ** 23 });
  const files = new BlockFiles(join(network, 'blocks'), { magic: params.p2pMagic });
  const make = { params, store, blocks: files };
  await connectTo(Math.min(CHECKED_BLOCKS, blocks), make);
  storeTo(blocks - CHECKED_BLOCKS, make, report);
  await connectTo(blocks, make);
  files.close();
  await store.close();
}

interface Making {
  readonly params: NetworkParams;
  readonly store: Store;
  readonly blocks: BlockFiles;
}

/** Connects blocks up to a height. */
async function connectTo(height: number, { params, store, blocks }: Making): Promise<void> {
  // Far behind the present, as during initial download, so that many blocks are written at once.
  const clock = new FixedClock(timeAt(height, params) + 10 * params.maxTipAge);
  const chain = new Chain({ params, accountHistory: false }, { store, blocks, clock, log: silentLogger });
  await chain.recover();
  while (chain.tip.height < height) {
    const block = nextBlock(chain);
    const { status } = chain.submitBlock(bytesOf(chain, block));
    if (status !== 'accepted') throw new Error(`block ${chain.tip.height + 1} is ${status}`);
  }
  chain.close();
}

/** Stores blocks up to a height as connected ones. */
function storeTo(height: number, { params, store, blocks }: Making, report: (text: string) => void): void {
  const db = new ChainDatabase(params, store, blocks);
  const tree = db.loadTree();
  if (!tree) throw new Error('the chain has no genesis block');
  while (tree.tip.height < height) {
    const { tip } = tree;
    const block = nextBlock({ tip, params });
    const entry = tree.add(block.hash, block.header, tip);
    entry.position = db.appendBlock(bytesOf({ params }, block));
    entry.nTx = 1;
    entry.chainTx = tip.chainTx + 1;
    entry.valid = true;
    tree.push(entry);
    db.view.put(undoLogs, entry.hash, []);
    db.saveEntry(entry, block.header);
    db.setTip(entry);
    if (entry.height % FLUSHED_BLOCKS === 0 || entry.height === height) db.flush({ sync: false });
    if (entry.height % REPORTED_BLOCKS === 0) report(`${entry.height} blocks`);
  }
}

function nextBlock({ tip, params }: Pick<Chain, 'tip' | 'params'>): Block {
  return blockOn({ params }, tip, { header: { time: timeAt(tip.height + 1, params) }, scriptPubKey: UNSPENDABLE });
}

function timeAt(height: number, { genesis }: NetworkParams): number {
  return genesis.header.time + SPACING_SEC * height;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory, blocks = '2000000'] = process.argv.slice(2);
  if (directory === undefined) throw new Error('usage: long-chain.ts DIRECTORY [BLOCKS]');
  await makeLongChain(directory, Number(blocks), (text) => console.log(text));
}
