import type { Chain } from '../../chain/chain.js';
import type { ChainQueries } from '../../chain/reader.js';
import type { Warnings } from '../../chain/warnings.js';
import type { Mempool } from '../../mempool/mempool.js';
import type { Pool } from '../../mempool/pool.js';
import type { Minter } from '../../minting/minter.js';
import type { Staker } from '../../minting/staker.js';
import type { TemplateCache } from '../../minting/template-cache.js';
import type { Catalogue } from '../../rpc/catalogue.js';
import type { Clock } from '../../util/clock.js';

/** Modules for the mining operations. */
export interface MiningModules {
  readonly chain: ChainQueries & Pick<Chain, 'submitBlock' | 'submitBlockInSlices' | 'acceptHeader' | 'testBlock' | 'on'>;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly catalogue: Pick<Catalogue, 'byName'>;
  readonly mempool: Pick<Mempool, 'prioritise'> & { readonly pool: Pick<Pool, 'size' | 'updates'> };
  readonly minter: Pick<Minter, 'masternodes' | 'lastAssembled'>;
  readonly templates: Pick<TemplateCache, 'current' | 'poolUpdates'>;
  /** Undefined unless the node mints by itself (`-gen`). */
  readonly staker?: Pick<Staker, 'running' | 'lastAttempt'> | undefined;
  /** Connected peers; undefined without P2P. */
  readonly peers?: { readonly count: number } | undefined;
  /** Aborted when the node begins to stop; operations that wait end then. */
  readonly stopping: AbortSignal;
  readonly warnings: Pick<Warnings, 'text'>;
}
