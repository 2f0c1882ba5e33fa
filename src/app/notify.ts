import type { Chain } from '../chain/chain.js';
import type { Config } from '../config/config.js';
import { formatHash, type Hash256 } from '../primitives/hash.js';
import type { Logger } from '../util/logger.js';
import { CommandRunner } from './command-runner.js';

/** Runs an operator's command with a hash in place of each `%s`; undefined where there is no command. */
export function notifier(command: string | undefined, log: Logger): ((hash: Hash256) => void) | undefined {
  if (command === undefined || command === '') return undefined;
  const runner = new CommandRunner(log);
  return (hash) => void runner.run(command.replaceAll('%s', formatHash(hash)));
}

/** What is left of the text of an alert: it may hold what strangers wrote, and is given to a shell. */
const UNSAFE = /[^A-Za-z0-9 .,;\-_/:?@()]/g;

/** Runs an operator's command with a text, quoted for the shell, in place of each `%s`; does nothing where there is no command. */
export function alerter(command: string | undefined, log: Logger): (text: string) => void {
  if (command === undefined || command === '') return () => {};
  const runner = new CommandRunner(log);
  return (text) => void runner.run(command.replaceAll('%s', () => `'${text.replace(UNSAFE, '')}'`));
}

/** Runs the operator's commands for a node that is about to stop, side by side, until all have ended; undefined where there are none. */
export function stopAnnouncer({ chain }: { readonly chain: Pick<Config['chain'], 'stopCommands'> }, log: Logger) {
  const { stopCommands } = chain;
  if (stopCommands.length === 0) return undefined;
  return async (): Promise<void> => {
    const runner = new CommandRunner(log.child('node'), { isAwaited: true });
    await Promise.all(stopCommands.map((command) => runner.run(command)));
  };
}

/**
 * Tells of each new best block once the chain is caught up with. A reorganisation is told of when it has more work than what it
 * replaces: its blocks below that were never the best.
 */
export function notifyBlocks(chain: Pick<Chain, 'tip' | 'on' | 'isInitialDownload'>, tell: (hash: Hash256) => void): void {
  let told = chain.tip;
  const changed = (tip: Chain['tip']): void => {
    if (tip === told) return;
    told = tip;
    if (!chain.isInitialDownload()) tell(tip.hash);
  };
  chain.on('connected', ({ entry }) => {
    if (entry.chainWork > told.chainWork) changed(entry);
  });
  chain.on('tip', changed);
}
