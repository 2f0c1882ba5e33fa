import type { BlockPosition } from '../chain/block-store.js';
import type { Chain } from '../chain/chain.js';
import type { SnapshotBase } from '../chain/records.js';
import { BlockInvalid } from '../consensus/errors.js';
import type { AnyColumn } from '../storage/view.js';
import type { SnapshotDigest } from './digest.js';
import { SnapshotSource } from './source.js';

/** Message to the process that validates: positions of the next blocks, ascending by height. */
export type ValidatorRequest = { readonly kind: 'connect'; readonly positions: readonly BlockPosition[] };

/** Message of the process that validates. */
export type ValidatorReport =
  /** The validator has connected the blocks up to this height and waits for more. */
  | { readonly kind: 'connected'; readonly height: number }
  /** The block breaks a rule. */
  | { readonly kind: 'invalid'; readonly height: number; readonly reason: string }
  /** The validator has connected all blocks up to the base. */
  | { readonly kind: 'digest'; readonly digest: SnapshotDigest };

/** Chain on which the blocks below a snapshot are connected. */
export type ValidatingChain = Pick<Chain, 'tip' | 'connectStored' | 'snapshot' | 'fault'>;

/** Connects the blocks up to the base of a snapshot on a state of its own, and computes the digest of the state that they lead to. */
export class SnapshotValidator {
  constructor(
    private readonly chain: ValidatingChain,
    private readonly base: Pick<SnapshotBase, 'height' | 'options'>,
    private readonly columns: readonly AnyColumn[],
  ) {}

  /** State after the last stored block: to be sent when the validation starts or continues. */
  report(signal?: AbortSignal): Promise<ValidatorReport> {
    return this.#reportAt(this.chain.tip.height, signal);
  }

  /** Connects the next blocks. @throws {Error} if the blocks cannot be read or the state cannot be written */
  async connect({ positions }: ValidatorRequest, signal?: AbortSignal): Promise<ValidatorReport> {
    for (const position of positions) {
      const height = this.chain.tip.height + 1;
      try {
        this.chain.connectStored(position);
      } catch (error) {
        if (error instanceof BlockInvalid) return { kind: 'invalid', height, reason: error.reason };
        throw error;
      }
      if (this.chain.fault) throw new Error(this.chain.fault.message);
      if (this.chain.tip.height !== height) throw new Error(`block ${height} was not connected`);
    }
    return this.#reportAt(this.chain.tip.height, signal);
  }

  async #reportAt(height: number, signal: AbortSignal | undefined): Promise<ValidatorReport> {
    const { height: baseHeight, options } = this.base;
    if (height < baseHeight) return { kind: 'connected', height };
    const view = this.chain.snapshot();
    try {
      const source = await SnapshotSource.at(view, this.columns, { height: baseHeight, options, ...(signal && { signal }) });
      return { kind: 'digest', digest: await source.digest(signal) };
    } finally {
      view.close();
    }
  }
}
