import type { Chain } from '../chain/chain.js';
import { BlockInvalid } from '../consensus/errors.js';
import { isFeatureOn } from '../dfi/attributes/features.js';
import { applyChanges } from '../dfi/development/apply.js';
import type { DevelopmentChange } from '../dfi/development/changes.js';
import { type Masternode, ownerScript, rewardScript } from '../dfi/masternodes/columns.js';
import type { Minter } from '../minting/minter.js';
import type { Hash256 } from '../primitives/hash.js';
import type { ImpersonatedOwners } from '../script/impersonation.js';
import { Overlay } from '../storage/overlay.js';
import type { SystemClock } from '../util/clock.js';
import { invalidParameter, NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { AutoMining } from './auto-mining.js';
import { type SnapshotParts, Snapshots } from './snapshots.js';
import { StateDump, type StateDumpParts } from './state-dump.js';
import { TimeControl } from './time-control.js';

/** Modules of the node that are controlled. */
export interface DevNetworkParts extends Omit<SnapshotParts, 'time' | 'mining'> {
  readonly chain: SnapshotParts['chain'] & StateDumpParts['chain'] & Pick<Chain, 'params' | 'state'>;
  readonly clock: SystemClock;
  readonly log: Logger;
  /** Aborted when the node begins to stop. */
  readonly stopping: AbortSignal;
  /** Absent on networks that do not allow impersonation. */
  readonly impersonated?: ImpersonatedOwners | undefined;
  readonly devMinter: Pick<Minter, 'masternodes' | 'mintTo'>;
}

/** Blocks to make. */
export interface MineRequest {
  readonly count: number;
  /** Seconds between the times of two blocks. */
  readonly interval: number;
  /** Script that the coinbases pay to; by default that of the masternode's owner. */
  readonly scriptPubKey?: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Changes that each block carries instead of transactions. */
  readonly changes?: readonly DevelopmentChange[] | undefined;
}

const MAX_BLOCKS = 100_000;
/** The timers of Node.js count milliseconds in 31 bits. */
const MAX_INTERVAL_SEC = 2_000_000;

const NO_IMPERSONATION =
  'owners can be impersonated with -dev only: on other networks, -regtest included, a transaction that its owner has not signed is invalid';

/** Control of time and state of a development network. */
export class DevNetwork {
  readonly time: TimeControl;
  readonly mining: AutoMining;
  readonly snapshots: Snapshots;
  readonly dump: StateDump;

  constructor(private readonly parts: DevNetworkParts) {
    const mine = () => this.mine({ count: 1, interval: 1, signal: parts.stopping });
    this.mining = new AutoMining({ mine, pool: parts.mempool.pool, log: parts.log });
    this.time = new TimeControl(parts.clock, parts.chain);
    const { time, mining } = this;
    this.snapshots = new Snapshots({ ...parts, time, mining });
    this.dump = new StateDump({ ...parts, time, mining, snapshots: this.snapshots });
  }

  /** Owners for whom transactions are made without their keys; undefined if the rules of the network do not allow that. */
  get impersonated(): Pick<ImpersonatedOwners, 'has'> | undefined {
    return this.parts.impersonated;
  }

  /**
   * Makes transactions of an owner without its keys from now on, or ends that.
   * @param script output script of the owner
   * @throws {NodeError} on a network whose rules do not allow it
   */
  impersonate(script: Uint8Array, isImpersonated: boolean): void {
    if (!this.parts.impersonated) throw new NodeError('misc', NO_IMPERSONATION);
    this.parts.impersonated.set(script, isImpersonated);
  }

  get tip(): { readonly height: number; readonly hash: Hash256; readonly time: number } {
    return this.parts.chain.tip;
  }

  /**
   * Mints blocks. The first one has the current time, but each a later one than its parent.
   * @returns hashes of the blocks
   * @throws {NodeError} if a block cannot be made
   */
  async mine({ count, interval, scriptPubKey, signal, changes }: MineRequest): Promise<Hash256[]> {
    if (count > MAX_BLOCKS) throw invalidParameter(`too many blocks: at most ${MAX_BLOCKS} can be mined in a call`);
    const { chain, devMinter } = this.parts;
    const hashes: Hash256[] = [];
    while (hashes.length < count) {
      signal.throwIfAborted();
      const { tip } = chain;
      const step = hashes.length === 0 ? 1 : Math.max(1, interval);
      const minted = await this.time.at(Math.max(this.time.now(), tip.time + step), () =>
        devMinter.mintTo(scriptPubKey ?? this.#payout(), 1, 1, signal, changes),
      );
      if (minted === 0) throw new NodeError('misc', `no block could be made at height ${tip.height + 1}`);
      hashes.push(chain.tip.hash);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return hashes;
  }

  /** Mints a block at an interval. @param seconds 0 to mint on request only */
  setMiningInterval(seconds: number): void {
    if (seconds > MAX_INTERVAL_SEC) throw invalidParameter(`the interval is above ${MAX_INTERVAL_SEC} seconds`);
    this.mining.mode = seconds === 0 ? 'off' : seconds;
  }

  /**
   * Changes the state in a block of its own, so that undo records, a reindex and other nodes of the network follow it.
   * @returns hash of the block
   * @throws {NodeError} if a change is impossible
   */
  async change(changes: readonly DevelopmentChange[], signal: AbortSignal): Promise<Hash256> {
    this.#check(changes);
    const [hash] = await this.mine({ count: 1, interval: 1, signal, changes });
    return hash as Hash256;
  }

  /** Checks the changes by the rules of the block. The block itself would fail without a reason. */
  #check(changes: readonly DevelopmentChange[]): void {
    const { params, state, tip } = this.parts.chain;
    const view = new Overlay(state);
    const isEvm = changes.some(({ kind }) => kind.startsWith('evm-'));
    if (isEvm && !isFeatureOn(state, 'evm')) throw invalidParameter('the EVM is off');
    try {
      const others = changes.filter(({ kind }) => !kind.startsWith('evm-'));
      applyChanges({ view, params, height: tip.height + 1, time: this.time.now(), evmBlock: undefined }, others);
    } catch (error) {
      if (error instanceof BlockInvalid) throw invalidParameter(error.debug);
      throw error;
    }
  }

  #payout(): Uint8Array {
    const node: Masternode | undefined = this.parts.devMinter.masternodes()[0]?.node;
    if (!node) throw new NodeError('not-found', 'Error: I am not masternode operator');
    return node.rewardType === 0 ? ownerScript(node) : rewardScript(node, true);
  }
}

/** The control of a development network. @throws {NodeError} on any other network */
export function requireDevNetwork(devNetwork: DevNetwork | undefined): DevNetwork {
  if (!devNetwork) throw new NodeError('misc', 'this operation is for development networks only (-regtest or -dev)');
  return devNetwork;
}
