import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain } from '../chain/chain.js';
import type { Config } from '../config/config.js';
import { formatHash, type Hash256 } from '../primitives/hash.js';
import { equalBytes } from '../util/bytes.js';
import type { Logger } from '../util/logger.js';
import { CommandRunner } from './command-runner.js';

/** Runs a command of the operator with each `%s` replaced by a hash; undefined if there is no command. */
export function notifier(command: string | undefined, log: Logger): ((hash: Hash256) => void) | undefined {
  if (command === undefined || command === '') return undefined;
  const runner = new CommandRunner(log);
  return (hash) => void runner.run(command.replaceAll('%s', formatHash(hash)));
}

/** Characters removed from the text of an alert, which may contain text of peers and is passed to a shell. */
const UNSAFE = /[^A-Za-z0-9 .,;\-_/:?@()]/g;

/** Runs a command of the operator with each `%s` replaced by a text, quoted for the shell; does nothing if there is no command. */
export function alerter(command: string | undefined, log: Logger): (text: string) => void {
  if (command === undefined || command === '') return () => {};
  const runner = new CommandRunner(log);
  return (text) => void runner.run(command.replaceAll('%s', () => `'${text.replace(UNSAFE, '')}'`));
}

/** Runs the commands of -shutdownnotify in parallel and waits for them; undefined if there are none. */
export function stopAnnouncer({ chain }: { readonly chain: Pick<Config['chain'], 'stopCommands'> }, log: Logger) {
  const { stopCommands } = chain;
  if (stopCommands.length === 0) return undefined;
  return async (): Promise<void> => {
    const runner = new CommandRunner(log.child('node'), { isAwaited: true });
    await Promise.all(stopCommands.map((command) => runner.run(command)));
  };
}

/**
 * Notifies of each new best block after initial block download. During a reorganisation, blocks are reported from the first one with more
 * work than the old tip: those below were never the best block.
 * @param notify its second argument is true if the block is below the last one, because the blocks above it were invalidated
 */
export function notifyBlocks(
  chain: Pick<Chain, 'tip' | 'on' | 'isInitialDownload'>,
  notify: (tip: BlockIndexEntry, isBelow: boolean) => void,
): void {
  let best = chain.tip;
  const changed = (tip: BlockIndexEntry): void => {
    if (tip === best) return;
    const known = best.ancestor(tip.height);
    const isBelow = known !== undefined && equalBytes(known.hash, tip.hash);
    best = tip;
    if (!chain.isInitialDownload()) notify(tip, isBelow);
  };
  chain.on('connected', ({ entry }) => {
    if (entry.chainWork > best.chainWork) changed(entry);
  });
  chain.on('tip', changed);
}
