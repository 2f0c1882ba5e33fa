import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { BlockFiles } from '../../src/chain/block-files.js';
import { Chain } from '../../src/chain/chain.js';
import { chainColumns } from '../../src/chain/database.js';
import type { BlockJournal } from '../../src/chain/events.js';
import { VerifiedScripts } from '../../src/consensus/script-cache.js';
import { blockScriptFlags } from '../../src/consensus/script-flags.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { eventColumns } from '../../src/events/columns.js';
import { EventJournal } from '../../src/events/journal.js';
import { COMPANIONS, OBSERVED_COLUMNS } from '../../src/services/events/sources.js';
import { HotStore } from '../../src/storage/hot-store.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { fromHex } from '../../src/util/bytes.js';
import { FixedClock } from '../../src/util/clock.js';
import { silentLogger } from '../../src/util/logger.js';
import { paramsOfFlags } from '../chains/recorded-chain.js';
import { type Recording, readRecording, sharedPath } from '../shared.js';

/** Default of `-eventretention`. */
const RETENTION = 10_000;
const ROUNDS = 7;
const RECORDINGS = ['load/load_10k', 'finance/feature_token_split', 'finance/feature_negative_interest', 'finance/feature_loan_basics'];

/** Processor time of an import with the event log of the default size, in ratio to one without. The runs take turns, and scripts are known. */
export async function run(): Promise<void> {
  for (const name of RECORDINGS) {
    const path = sharedPath('golden', ...`${name}.jsonl.gz`.split('/'));
    if (!path) continue;
    const recording = readRecording(path);
    const cache = new VerifiedScripts();
    await importWith(recording, undefined, cache, true);
    const [without, withLog]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await importWith(recording, undefined, cache));
      withLog.push(await importWith(recording, new EventJournal(RETENTION, OBSERVED_COLUMNS, COMPANIONS), cache));
    }
    const [plain, logged] = [least(without), least(withLog)];
    const percent = ((logged / plain - 1) * 100).toFixed(1);
    console.log(`${basename(path, '.jsonl.gz')}: ${plain.toFixed(0)} ms without events, ${logged.toFixed(0)} ms with, ${percent} % more`);
  }
}

/** Other work on the machine only adds time. */
const least = (times: readonly number[]): number => Math.min(...times);

/** @returns milliseconds of processor time */
async function importWith(
  { header, steps }: Recording,
  journal: BlockJournal | undefined,
  cache: VerifiedScripts,
  fillsCache = false,
): Promise<number> {
  const params = paramsOfFlags(header.flags);
  const directory = mkdtempSync(join(tmpdir(), 'dfi-bench-'));
  const columns = [...chainColumns, ...dfiColumns, ...eventColumns];
  const store = new HotStore(await RocksStore.open(join(directory, 'chain'), columns), { columns: dfiColumns, maxBytes: 32 * 2 ** 20 });
  const files = new BlockFiles(join(directory, 'blocks'), { magic: params.p2pMagic });
  const blocks = steps.flatMap((step) => ('hex' in step ? [{ time: step.time, bytes: fromHex(step.hex) }] : []));
  const clock = new FixedClock((blocks.at(-1)?.time ?? 0) + 10 * params.maxTipAge);
  const chain = new Chain({ params }, { store, blocks: files, clock, log: silentLogger, journal, scripts: { cache } });
  if (fillsCache) {
    chain.on('connected', ({ block, entry }) => {
      for (const tx of block.transactions) cache.add(tx, blockScriptFlags(entry.height, params));
    });
  }
  const before = process.cpuUsage();
  for (const { bytes } of blocks) chain.submitBlock(bytes);
  chain.close();
  const { user, system } = process.cpuUsage(before);
  files.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
  return (user + system) / 1e3;
}
