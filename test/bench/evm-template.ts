import { evm, GWEI } from '../unit/mempool/evm-transactions.js';
import { EvmNode } from '../unit/minting/evm-node.js';

const SENDERS = 40;
const PER_SENDER = 50;

/** Milliseconds of processor time of a step. */
function msOf(step: () => void): number {
  const before = process.cpuUsage();
  step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

const keys = Array.from({ length: SENDERS }, (_, i) => 1 + i);
const node = new EvmNode({ keys });
const other = new EvmNode({ keys });
const payments = keys.flatMap((key) => Array.from({ length: PER_SENDER }, (_, nonce) => evm(key, nonce)));
const accepted = msOf(() => {
  for (const tx of payments) node.accept(tx);
});
const replaced = msOf(() => {
  for (const key of keys) node.accept(evm(key, 0, { gasPrice: 50n * GWEI }));
});
const count = (ms: number, of: number) => `${((1_000 * ms) / of).toFixed(0)} us each`;
console.log(`accept ${payments.length} EVM transactions: ${accepted.toFixed(0)} ms, ${count(accepted, payments.length)}`);
console.log(`replace ${keys.length}: ${replaced.toFixed(0)} ms, ${count(replaced, keys.length)}`);
let block = node.assemble();
const template = msOf(() => {
  block = node.assemble();
});
const connected = msOf(() => node.connect(block));
const foreign = msOf(() => other.connect(block));
const transactions = block.transactions.length - 1;
console.log(
  `template of ${transactions}: ${template.toFixed(0)} ms, ${(template / connected).toFixed(2)} times its connect (${connected.toFixed(0)} ms)`,
);
console.log(`connect at a node that has not seen them: ${(foreign / connected).toFixed(2)} times as long`);
