import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { DevNetwork, type DevNetworkParts } from '../devnet/dev-network.js';
import { PriceReports } from '../devnet/price-reports.js';
import type { Call } from '../devnet/world/script.js';
import { makeWorld } from '../devnet/world/world.js';
import type { Invoker } from '../rpc/invoke.js';
import type { StartParts } from './parts.js';
import type { StartedNode } from './started-node.js';

/** Files that a world consists of, relative to the directory of the network. */
const DATA = ['chainstate', 'wallets', 'mempool.dat', 'fee_estimates.dat'];

/** File that exists while a world is being made. */
function markerOf({ paths }: Config): string {
  return join(paths.networkDir, 'unfinished-world');
}

/** Deletes the data of an unfinished world. Everything in it was made by the node itself. */
export function discardUnfinishedWorld({ config, log }: Pick<StartParts, 'config' | 'log'>): void {
  if (!config.dev || !existsSync(markerOf(config))) return;
  log.warn('the last start ended before the world was complete; it is made again');
  const { networkDir, blocksDir } = config.paths;
  for (const path of [blocksDir, ...DATA.map((name) => join(networkDir, name))]) rmSync(path, { recursive: true, force: true });
}

/** Makes the world of -dev on a new chain, and starts its minting and its oracle. */
export async function startDevelopment(parts: StartParts, started: StartedNode, invoker: Invoker, call: Call): Promise<void> {
  const { config, clock, lifecycle, log: root } = parts;
  const { dev } = config;
  if (!dev) return;
  const log = root.child('devnet');
  const hasWallet = started.wallets !== undefined && [...started.wallets.loaded()].length > 0;
  if (!hasWallet) log.warn('without a wallet there is no world and no price report');
  if (dev.makesWorld && hasWallet && started.chain.tip.height === 0) {
    invoker.setWarmup('Making the world of the development network...');
    const startedMs = performance.now();
    writeFileSync(markerOf(config), '');
    await makeWorld(call, started.chain.params, clock.seconds());
    await started.chain.persist();
    rmSync(markerOf(config));
    log.info('made the world', { height: started.chain.tip.height, milliseconds: Math.round(performance.now() - startedMs) });
  }
  if (started.devNetwork) started.devNetwork.mining.mode = dev.mining;
  const prices = new PriceReports(dev.priceSec, { call, now: () => clock.seconds(), log });
  lifecycle.onStop('price reports', () => prices.stop());
  if (hasWallet) await prices.start();
}

/** Starts the control of a development network; undefined on any other one. Answers to calls wait for the blocks of its minting. */
export function startControl(
  { clock, lifecycle, log }: StartParts,
  started: Omit<DevNetworkParts, 'clock' | 'log' | 'stopping'>,
  invoker: Invoker,
): DevNetwork | undefined {
  if (!started.chain.params.isRegtest) return undefined;
  const devNetwork = new DevNetwork({ ...started, clock, log: log.child('devnet'), stopping: lifecycle.interrupt });
  lifecycle.onStop('automatic minting', () => devNetwork.mining.stop());
  invoker.setFollowUp(() => devNetwork.mining.pending);
  return devNetwork;
}
