import { reportStart, startInBackground } from './app/daemonize.js';
import { refuseForeignData } from './app/foreign-data.js';
import type { NodeDeps } from './app/node.js';
import { buildConfig } from './config/build.js';
import { prepareDirectories, removePidFile, requireWritable, writePidFile } from './config/data-dir.js';
import { ConfigError } from './config/errors.js';
import { EXIT, failureOf } from './config/exit-code.js';
import { helpText } from './config/help.js';
import { type LoadedConfig, loadConfig, optionDoubts } from './config/load.js';
import { openLog } from './config/log-setup.js';
import { GROUPS, OPTIONS } from './config/options.js';
import { showSettings } from './config/show.js';
import { readSources } from './config/sources.js';
import type { DirectoryLock } from './storage/directory-lock.js';
import { SystemClock } from './util/clock.js';
import type { Logger } from './util/logger.js';
import { PACKAGE_NAME, programVersion } from './version.js';

/** Time in which a second signal counts as the same request: the terminal and the parent process may both send SIGINT for one Ctrl-C. */
const SAME_REQUEST_MS = 1000;

/** Runs the daemon. @returns the exit code after it has stopped */
async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === 'config') return configCommand(argv.slice(1));
  if (argv[0] === 'snapshot' && argv[1] === 'validate') {
    return (await import('./app/snapshot-validator.js')).validatorCommand(argv.slice(2), process.env);
  }
  if (argv[0] === 'snapshot') return (await import('./app/snapshot-command.js')).snapshotCommand(argv.slice(1), process.env);
  const loaded = loadConfig({ argv, env: process.env }, (line) => process.stderr.write(`${line}\n`));
  switch (loaded.action) {
    case 'help':
      process.stdout.write(
        `${versionLine()}\n\nUsage:  dfid [options]\n        dfid config check|show [options]\n        dfid snapshot export|import <file or URL> [options]\n\n`,
      );
      process.stdout.write(helpText(GROUPS, loaded.debug));
      return EXIT.clean;
    case 'version':
      process.stdout.write(`${versionLine()}\n`);
      return EXIT.clean;
    default:
      return run(argv, loaded);
  }
}

function versionLine(): string {
  return `${PACKAGE_NAME} Daemon version v${programVersion()}`;
}

/** `dfid config check` and `dfid config show`: validate or print the configuration without starting. */
async function configCommand([command, ...argv]: readonly string[]): Promise<number> {
  if (command !== 'check' && command !== 'show') throw new ConfigError('Usage: dfid config check|show [options]');
  const sources = readSources({ argv, env: process.env }, OPTIONS).read();
  if (command === 'show') {
    process.stdout.write(showSettings(sources.settings, OPTIONS, sources.network));
    return EXIT.clean;
  }
  const { config, warnings } = buildConfig(sources);
  await requireValid(config);
  for (const text of [...sources.warnings, ...warnings, ...optionDoubts(sources)]) process.stdout.write(`Warning: ${text}\n`);
  for (const note of sources.notes) process.stdout.write(`${note}\n`);
  process.stdout.write(`The configuration is valid: ${config.network.network} network, data in ${config.paths.networkDir}\n`);
  return EXIT.clean;
}

/** @throws {Error} for options that a module refuses. Loads the modules on demand, which help and version do not need. */
async function requireValid(config: LoadedConfig['config']): Promise<void> {
  await (await import('./app/option-check.js')).checkOptions(config);
}

async function run(argv: readonly string[], loaded: LoadedConfig): Promise<number> {
  const { config, daemon } = loaded;
  await requireValid(config);
  if (!loaded.systemUmask) process.umask(0o077);
  if (config.mode === 'node') refuseForeignData(config.paths);
  prepareDirectories(config.paths);
  if (config.mode === 'node') requireWritable(config.paths);
  if (daemon.enabled) {
    await (await lockData(config)).release(); // report a locked directory before leaving the terminal
    return startInBackground(argv, daemon.wait);
  }
  // A gateway has no state, so it can share the directory with a running node.
  const lock = config.mode === 'node' ? await lockData(config) : undefined;
  try {
    const { output, categories } = openLog(config.log, config.paths.logFile, process.stdout.isTTY);
    const log = output.root;
    process.on('SIGHUP', () => output.reopen());
    log.info(`${PACKAGE_NAME} version v${programVersion()}`, { node: process.version, pid: process.pid, network: config.network.network });
    for (const note of loaded.notes) log.info(note);
    // They are on standard error too, which leads nowhere with -daemon.
    for (const line of [...loaded.warnings, ...loaded.doubts]) log.warn(line);
    const signals = new Signals(() => {
      if (lock) removePidFile(config.paths.pidFile);
      process.exit(EXIT.clean);
    });
    if (lock) writePidFile(config.paths.pidFile);
    try {
      await runNode(loaded, log, categories, signals);
      log.info('Shutdown: done');
      return EXIT.clean;
    } catch (error) {
      const { line, expected } = failureOf(error);
      log.error(line, expected ? {} : { error });
      throw error;
    } finally {
      if (lock) removePidFile(config.paths.pidFile);
      output.close();
    }
  } finally {
    await lock?.release();
  }
}

/** Locks the data directory. Loads the database engine on demand, which help and version do not need. @throws {DirectoryLocked} */
async function lockData({ paths }: LoadedConfig['config']): Promise<DirectoryLock> {
  return (await import('./storage/directory-lock.js')).DirectoryLock.acquireData(paths);
}

/** Creates a node or a gateway; imports only the modules of that mode. */
async function createNode(config: LoadedConfig['config'], deps: NodeDeps): Promise<Runnable> {
  if (config.mode === 'gateway') return new (await import('./app/gateway-node.js')).GatewayNode(config, deps);
  return (await import('./app/node.js')).Node.create(config, deps);
}

interface Runnable {
  readonly stopped: Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Signals to stop the process. One listener for its whole life: a signal that waits for the event loop is lost with its listener. */
class Signals {
  constructor(public stop: (signal: string) => void) {
    const listener = (signal: string): void => this.stop(signal);
    process.on('SIGINT', listener).on('SIGTERM', listener);
  }
}

/** Runs until the node stops, because of a signal or an operation. */
async function runNode(
  { config }: LoadedConfig,
  log: Logger,
  logCategories: ReturnType<typeof openLog>['categories'],
  signals: Signals,
): Promise<void> {
  const clock = new SystemClock();
  if (config.chain.mockTime !== 0) clock.setMockTime(config.chain.mockTime);
  const node = await createNode(config, { clock, log, logCategories });
  let stopping: number | undefined;
  const stop = (signal: string) => {
    if (stopping !== undefined && clock.now() - stopping < SAME_REQUEST_MS) return;
    if (stopping !== undefined) process.exit(EXIT.failed); // second request: exit immediately, the data on disk is consistent
    stopping = clock.now();
    log.info('stopping', { signal });
    node.stop().catch((error: unknown) => die(log, error));
  };
  signals.stop = stop;
  process.on('uncaughtException', (error) => die(log, error));
  process.on('unhandledRejection', (reason) => die(log, reason));
  try {
    await node.start();
  } catch (error) {
    await node.stop().catch(() => {});
    if (stopping === undefined) throw error;
  }
  await reportStart({ ready: true });
  await node.stopped;
}

/** Exits after an unexpected error, because the state in memory cannot be trusted; the database is consistent after an unclean shutdown. */
function die(log: Logger, error: unknown): never {
  const { line } = failureOf(error);
  log.error(`unexpected error: ${line}`, { error });
  process.stderr.write(`Error: ${line}\n`);
  process.exit(EXIT.failed);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  async (error: unknown) => {
    const { code, line } = failureOf(error, process.argv[2] === 'snapshot' ? 'The snapshot is not complete' : undefined);
    process.stderr.write(`Error: ${line}\n`);
    await reportStart({ ready: false, line, code });
    process.exit(code);
  },
);
