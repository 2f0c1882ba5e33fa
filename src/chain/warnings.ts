import { UnknownRules } from '../consensus/unknown-rules.js';
import type { Logger } from '../util/logger.js';
import type { Chain } from './chain.js';

/** What the operator should know, in the words that answers show it in. */
export class Warnings {
  #text = '';
  /** What the log has already: two that are true at a time would take turns in it. */
  readonly #logged = new Set<string>();
  #alerted = false;

  /** @param alert called with the first text that is worth an alert */
  constructor(
    private readonly log: Logger,
    private readonly alert: (text: string) => void,
  ) {}

  /** The last one; empty while all is well. */
  get text(): string {
    return this.#text;
  }

  /** Forgets a warning that is over. */
  clear(text: string): void {
    if (this.#text === text) this.#text = '';
    this.#logged.delete(text);
  }

  /** @param options.alerts the operator's command is run, once */
  warn(text: string, { alerts = false } = {}): void {
    this.#text = text;
    if (!this.#logged.has(text)) this.log.warn(text);
    this.#logged.add(text);
    if (!alerts || this.#alerted) return;
    this.#alerted = true;
    this.alert(text);
  }
}

/**
 * Warns of trouble that only the operator can end, and alerts them each time it begins.
 * @param alert runs the operator's command
 */
export function warnOfFaults(chain: Pick<Chain, 'fault' | 'isHalted' | 'on'>, warnings: Warnings, alert: (text: string) => void): void {
  let warned = '';
  const look = (): void => {
    warnings.clear(warned);
    if (!chain.fault || !chain.isHalted) return;
    warned = chain.fault.message;
    warnings.warn(warned);
    alert(warned);
  };
  look();
  chain.on('fault', look);
}

/** Warns of stored blocks that turn out to be damaged, and alerts the operator of each. */
export function warnOfDamage(chain: Pick<Chain, 'damage' | 'on'>, warnings: Warnings, alert: (text: string) => void): void {
  const warn = (text: string): void => {
    warnings.warn(text);
    alert(text);
  };
  if (chain.damage !== undefined) warn(chain.damage);
  chain.on('damaged', warn);
}

/** Warns of rules that are in force without being known here, once the chain is caught up with. */
export function warnOfUnknownRules(chain: Pick<Chain, 'tip' | 'params' | 'on' | 'isInitialDownload'>, warnings: Warnings): void {
  const rules = new UnknownRules(chain.params);
  // All blocks are looked at while nobody waits yet; from then on there is a window at most.
  rules.statuses(chain.tip);
  chain.on('tip', (tip) => {
    if (chain.isInitialDownload()) return;
    for (const [bit, status] of rules.statuses(tip).entries()) {
      if (status === 'active') warnings.warn(`Warning: unknown new rules activated (versionbit ${bit})`, { alerts: true });
    }
  });
}
