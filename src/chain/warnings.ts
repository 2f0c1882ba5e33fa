import { UnknownRules, type WindowStatuses } from '../consensus/unknown-rules.js';
import type { Logger } from '../util/logger.js';
import { finish, inBackground } from '../util/slicer.js';
import type { BlockIndexEntry } from './block-index.js';
import type { Chain } from './chain.js';
import type { ChainFault } from './faults.js';
import type { StoredRules } from './stored-rules.js';

/** Warnings to the operator, as operations return them. */
export class Warnings {
  #text = '';
  /** Texts that are already in the log, so that warnings that hold at the same time are not logged in turns. */
  readonly #logged = new Set<string>();
  #alerted = false;

  /**
   * @param alert called once, with the first text that is given with `alerts`
   * @param changed called for each warning that begins or no longer holds
   */
  constructor(
    private readonly log: Logger,
    private readonly alert: (text: string) => void,
    private readonly changed: (text: string, holds: boolean) => void = () => {},
  ) {}

  /** Last warning; empty if there is none. */
  get text(): string {
    return this.#text;
  }

  /** Removes a warning that no longer holds. */
  clear(text: string): void {
    if (this.#text === text) this.#text = '';
    if (this.#logged.delete(text)) this.changed(text, false);
  }

  /** @param options.alerts true to run the operator's alert command, once */
  warn(text: string, { alerts = false } = {}): void {
    this.#text = text;
    if (!this.#logged.has(text)) {
      this.#logged.add(text);
      this.log.warn(text);
      this.changed(text, true);
    }
    if (!alerts || this.#alerted) return;
    this.#alerted = true;
    this.alert(text);
  }
}

/**
 * Warns of each fault that halts block processing, until processing resumes, and alerts the operator at its start. The text may change
 * while the fault lasts: a full disk is noted first by the write that failed, then by the lack of room.
 * @param alert runs the operator's command
 */
export function warnOfFaults(chain: Pick<Chain, 'fault' | 'on'>, warnings: Warnings, alert: (text: string) => void): void {
  let [warned, kind]: [string, ChainFault['kind'] | undefined] = ['', undefined];
  const update = (): void => {
    const { fault } = chain;
    const text = fault ? warningOf(fault) : '';
    if (warned !== text) warnings.clear(warned);
    if (fault) warnings.warn(text);
    if (fault && fault.kind !== kind) alert(text);
    [warned, kind] = [text, fault?.kind];
  };
  update();
  chain.on('fault', update);
}

/** Text for the operator. Errors of the system and the database engine do not say what follows from them. */
function warningOf({ message }: ChainFault): string {
  return message.includes('Block processing is halted') ? message : `Block processing is halted: ${message}`;
}

/** Warns of damaged stored blocks, and alerts the operator of each. */
export function warnOfDamage(chain: Pick<Chain, 'damage' | 'on'>, warnings: Warnings, alert: (text: string) => void): void {
  const warn = (text: string): void => {
    warnings.warn(text);
    alert(text);
  };
  if (chain.damage !== undefined) warn(chain.damage);
  chain.on('damaged', warn);
}

/** Blocks that are read before the start is complete, which takes some milliseconds. */
const READ_AT_ONCE = 5_000;

/**
 * Warns of active rules that this program does not know, after initial download. The blocks of a long chain are read once in the
 * background, from then on one window at most; the next start reads those since the last stored statuses, also if it comes before the end.
 * @param stored statuses of the last run; undefined to keep none
 */
export function warnOfUnknownRules(
  chain: Pick<Chain, 'tip' | 'params' | 'on' | 'isInitialDownload' | 'versions'>,
  warnings: Warnings,
  stopping: AbortSignal,
  stored?: StoredRules,
): void {
  const rules = new UnknownRules(chain.params);
  const update = (tip: BlockIndexEntry): void => {
    // Also during initial download, which would leave all blocks to be read at its end.
    const statuses = rules.statuses(tip);
    const window = rules.lastWindow(tip);
    if (window) stored?.note(window);
    if (chain.isInitialDownload()) return;
    for (const [bit, status] of statuses.entries()) {
      if (status === 'active') warnings.warn(`Warning: unknown new rules activated (versionbit ${bit})`, { alerts: true });
    }
  };
  const known = stored?.load();
  if (chain.tip.height - (known?.end.height ?? 0) < READ_AT_ONCE) {
    finish(rules.readAll(chain.tip, { known }));
    chain.on('tip', update);
    return;
  }
  const readAll = async (): Promise<void> => {
    const versions = (from: number, to: number): Iterable<number> => chain.versions(from, to);
    const note = (window: WindowStatuses): void => stored?.note(window);
    await inBackground(rules.readAll(chain.tip, { known, versions, note }), { signal: stopping });
    update(chain.tip);
    chain.on('tip', update);
  };
  readAll().catch((error: unknown) => {
    if (!stopping.aborted) throw error;
  });
}
