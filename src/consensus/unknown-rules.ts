import type { NetworkParams } from '../params/network.js';
import { Lru } from '../util/lru.js';
import type { Steps } from '../util/slicer.js';
import type { Ancestor } from './ancestry.js';
import { blockVersion, type DeploymentStatus, SIGNAL_BITS, signalledBits, VERSIONBITS_BASE } from './versionbits.js';

type Statuses = readonly DeploymentStatus[];

/** Statuses by bit at the end of a window. */
export interface WindowStatuses {
  /** Last block of the window. */
  readonly end: Ancestor;
  readonly statuses: Statuses;
}

export interface ReadAllOptions {
  /** Statuses of an ancestor of the tip, above which reading begins. */
  readonly known?: WindowStatuses | undefined;
  /** Versions of the blocks below the tip from one height to another, both included. */
  readonly versions?: (from: number, to: number) => Iterable<number>;
  /** Called with the statuses that are known so far, after every few windows. */
  readonly note?: (window: WindowStatuses) => void;
}

const KEPT_WINDOWS = 100;
const BLOCKS_PER_STEP = 100;

const DEFINED: Statuses = new Array<DeploymentStatus>(SIGNAL_BITS).fill('defined');
const STARTED: Statuses = new Array<DeploymentStatus>(SIGNAL_BITS).fill('started');

/**
 * Detects unknown rules that blocks signal for, by bits without a known deployment. They are treated as deployments without start and
 * timeout.
 * @see BIP9, "Warning mechanism"
 */
export class UnknownRules {
  /** Statuses by last block of a window, for recent windows. They never change, and deep forks are rare. */
  readonly #known = new Lru<Ancestor, Statuses>(KEPT_WINDOWS);

  constructor(readonly params: Pick<NetworkParams, 'bip9'>) {}

  /** Reads all blocks up to `tip`, upwards, so that `statuses` has to read only those of the last windows. */
  *readAll(tip: Ancestor, { known, versions = versionsOf(tip), note }: ReadAllOptions = {}): Steps<void> {
    const { window } = this.params.bip9;
    const blocks = window * Math.ceil(BLOCKS_PER_STEP / window);
    let statuses = known?.statuses ?? DEFINED;
    if (known) this.#known.set(known.end, statuses);
    for (let from = (known?.end.height ?? -1) + 1; from + window - 1 <= tip.height; from += blocks) {
      const last = Math.min(from + blocks - 1, tip.height - ((tip.height + 1 - from) % window));
      // Without signals nothing changes, so that the entries of the blocks are not needed.
      if (!areLasting(statuses) || anySignals(versions(from, last))) {
        for (let height = from + window - 1; height <= last; height += window) {
          const end = tip.ancestor(height) as Ancestor;
          statuses = this.#next(statuses, end);
          this.#known.set(end, statuses);
        }
      }
      const end = tip.ancestor(last) as Ancestor;
      this.#known.set(end, statuses);
      note?.({ end, statuses });
      yield;
    }
  }

  /** Statuses of the last whole window; undefined if it was not read yet. */
  lastWindow(tip: Ancestor): WindowStatuses | undefined {
    const end = tip.ancestor(tip.height - ((tip.height + 1) % this.params.bip9.window));
    const statuses = end && this.#known.get(end);
    return statuses && { end, statuses };
  }

  /** Status by bit, for the block after `tip`. The first call reads all blocks, a later one those of the windows since. */
  statuses(tip: Ancestor): Statuses {
    const { window } = this.params.bip9;
    const ends: Ancestor[] = [];
    let statuses = DEFINED;
    let end = tip.ancestor(tip.height - ((tip.height + 1) % window));
    while (end) {
      const known = this.#known.get(end);
      if (known) {
        statuses = known;
        break;
      }
      ends.push(end);
      end = end.ancestor(end.height - window);
    }
    for (const at of ends.reverse()) {
      statuses = this.#next(statuses, at);
      this.#known.set(at, statuses);
    }
    return statuses;
  }

  #next(before: Statuses, end: Ancestor): Statuses {
    if (before === DEFINED) return STARTED;
    const counts = this.#countSignals(end);
    // True of nearly all windows, which then share one array.
    if (!counts && areLasting(before)) return before;
    const { threshold } = this.params.bip9;
    return before.map((status, bit) => {
      if (status === 'started') return (counts?.[bit] ?? 0) >= threshold ? 'locked_in' : 'started';
      return status === 'locked_in' ? 'active' : status;
    });
  }

  /** Number of blocks of a window that signal each bit without a known deployment; undefined if none signals at all. */
  #countSignals(end: Ancestor): Uint32Array | undefined {
    const { params } = this;
    let counts: Uint32Array | undefined;
    let at: Ancestor | undefined = end;
    for (let i = 0; i < params.bip9.window && at; i++, at = at.parent) {
      const bits = signalledBits(at.version);
      if (bits === 0) continue;
      counts ??= new Uint32Array(SIGNAL_BITS);
      const unknown = bits & ~(at.parent ? blockVersion(at.parent, params) : VERSIONBITS_BASE);
      for (let bit = 0; bit < SIGNAL_BITS; bit++) counts[bit] = (counts[bit] ?? 0) + ((unknown >>> bit) & 1);
    }
    return counts;
  }
}

/** True if statuses stay as they are until a block signals. */
function areLasting(statuses: Statuses): boolean {
  return statuses !== DEFINED && !statuses.includes('locked_in');
}

function anySignals(versions: Iterable<number>): boolean {
  for (const version of versions) if (signalledBits(version) !== 0) return true;
  return false;
}

function versionsOf(tip: Ancestor): (from: number, to: number) => Iterable<number> {
  return function* versions(from, to) {
    for (let height = from; height <= to; height++) yield tip.ancestor(height)?.version ?? VERSIONBITS_BASE;
  };
}
