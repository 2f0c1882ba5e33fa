import { workerProgram } from '../worker-program.js';

/**
 * Time of a block without EVM transactions with the EVM on, as a multiple of one with the EVM off: made and connected, at the tip and far
 * behind it; empty, and with transfers of the DVM. Blocks of both kinds take turns, because other work on the machine
 * disturbs both then. The program is bundled like the daemon: the loader of TypeScript names every function whenever it is made, which takes
 * a third of the time of such a block.
 */
export async function run(): Promise<void> {
  const { compareAll } = (await import(workerProgram('test/bench/evm-empty/compare.ts').href)) as typeof import('./evm-empty/compare.js');
  await compareAll();
}
