import { rmSync } from 'node:fs';
import { BlockFileReader } from '../chain/block-file-reader.js';
import type { BlockPosition } from '../chain/block-store.js';
import { Chain } from '../chain/chain.js';
import { coins } from '../chain/coins.js';
import type { SnapshotBase } from '../chain/records.js';
import { buildConfig } from '../config/build.js';
import type { Config } from '../config/config.js';
import { ConfigError } from '../config/errors.js';
import { EXIT } from '../config/exit-code.js';
import { OPTIONS } from '../config/options.js';
import { readSources } from '../config/sources.js';
import { dfiColumns } from '../dfi/execution/all-columns.js';
import { networkParams } from '../params/index.js';
import { validatingOf } from '../snapshot/install.js';
import { SnapshotValidator, type ValidatorReport, type ValidatorRequest } from '../snapshot/validator.js';
import { StoreDamaged, StoreLocked } from '../storage/errors.js';
import { HotStore } from '../storage/hot-store.js';
import { SystemClock } from '../util/clock.js';
import { silentLogger } from '../util/logger.js';
import { blockMagics } from './block-magics.js';
import { openDatabase } from './chain.js';
import { stateColumns } from './snapshot.js';

/** First message to the process that validates. */
export interface ValidatorStart {
  readonly kind: 'start';
  readonly base: SnapshotBase;
  /** Position of the genesis block. */
  readonly genesis: BlockPosition;
}

/** Database cache of the process, bytes, at most. */
const MAX_CACHE_BYTES = 64 * 2 ** 20;
/** Share of it for rows that are kept decoded. */
const HOT_SHARE = 1 / 4;
/** Time in which the process of a node that was killed closes the database. */
const LOCKED_MS = 10_000;
const RETRY_MS = 100;

/**
 * `dfid snapshot validate`: the process that connects the blocks below a snapshot for a node, which has started it with its own options and
 * sends requests. It ends with the node.
 */
export async function validatorCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  if (!process.send) throw new ConfigError('dfid snapshot validate is started by the node');
  const stop = new AbortController();
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => stop.abort());
  // The node was killed: what is not written is connected again.
  process.on('disconnect', () => process.exit(EXIT.failed));
  const { config } = buildConfig(readSources({ argv, env }, OPTIONS).read());
  const inbox = new Inbox();
  const start = await inbox.next(stop.signal);
  if (start?.kind !== 'start') return EXIT.clean;
  const { chain, store } = await openChain(config, start);
  try {
    const validator = new SnapshotValidator(chain, start.base, stateColumns);
    send(await validator.report(stop.signal));
    for (let request = await inbox.next(stop.signal); request?.kind === 'connect'; request = await inbox.next(stop.signal)) {
      send(await validator.connect(request, stop.signal));
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    chain.close();
    await store.close();
  }
  return EXIT.clean;
}

function send(report: ValidatorReport): void {
  process.send?.(report);
}

/** Messages of the node, in order. */
class Inbox {
  readonly #messages: (ValidatorStart | ValidatorRequest)[] = [];
  #wake: () => void = () => {};

  constructor() {
    process.on('message', (message: ValidatorStart | ValidatorRequest) => {
      this.#messages.push(message);
      this.#wake();
    });
  }

  /** @returns undefined once the signal is aborted */
  async next(signal: AbortSignal): Promise<ValidatorStart | ValidatorRequest | undefined> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (this.#messages.length === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return signal.aborted ? undefined : this.#messages.shift();
  }
}

async function openChain(config: Config, { base, genesis }: ValidatorStart): Promise<{ readonly chain: Chain; readonly store: HotStore }> {
  const has = (option: string) => base.options.includes(option);
  // The node may have other options by now than those with which the snapshot was made.
  const params = networkParams({ ...config.network, keepsSwapTotals: has('dexstats'), keepsNegativeInterest: has('negativeinterest') });
  const directory = validatingOf(config.paths);
  const blocks = new BlockFileReader(config.paths.blocksDir, { magics: Object.values(blockMagics(params)), genesis });
  const open = async () => {
    const store = await openStore(directory, config);
    try {
      const histories = { accountHistory: has('acindex'), vaultHistory: has('vaultindex') };
      return { store, chain: new Chain({ params, ...histories }, { store, blocks, clock: new SystemClock(), log: silentLogger }) };
    } catch (error) {
      await store.close();
      throw error;
    }
  };
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    // Only time is lost: the blocks are connected again.
    rmSync(directory, { recursive: true, force: true });
    return open();
  }
}

async function openStore(directory: string, { chain }: Config): Promise<HotStore> {
  const bytes = Math.min(chain.cacheBytes, MAX_CACHE_BYTES);
  const maxBytes = bytes * HOT_SHARE;
  for (const end = performance.now() + LOCKED_MS; ; ) {
    try {
      const rocks = await openDatabase(directory, bytes - maxBytes, silentLogger);
      return new HotStore(rocks, { columns: dfiColumns, largeColumns: [coins], maxBytes });
    } catch (error) {
      if (!(error instanceof StoreLocked) || performance.now() >= end) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
