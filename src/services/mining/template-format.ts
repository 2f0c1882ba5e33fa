import type { BlockTemplate as TemplateAnswer, TemplateTransaction } from '../../../gen/ts/dfi/mining/v1/mining.js';
import { witnessCommitmentIndex } from '../../consensus/block.js';
import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT } from '../../consensus/limits.js';
import { decodeCompact } from '../../consensus/pos/target.js';
import { deploymentStatus } from '../../consensus/versionbits.js';
import type { MempoolEntry } from '../../mempool/entry.js';
import type { BlockTemplate } from '../../minting/template-cache.js';
import type { NetworkParams } from '../../params/network.js';
import { formatHash } from '../../primitives/hash.js';
import { WITNESS_SCALE_FACTOR } from '../../primitives/transaction.js';
import { toHex } from '../../util/bytes.js';

/** Upper bound of a block's size in bytes: each byte weighs at least 1. */
const MAX_BLOCK_SIZE = MAX_BLOCK_WEIGHT;

/** Divisor of limits and costs: before segwit they are in bytes instead of weight units. */
function unitsAt(height: number, params: NetworkParams): number {
  return height < params.buried.segwit ? WITNESS_SCALE_FACTOR : 1;
}

/** @see docs/protocol/rpc-chain.md 3.2.4 */
export function formatTemplate({ block, parent, entries, poolUpdates }: BlockTemplate, params: NetworkParams): TemplateAnswer {
  const { header } = block;
  const [coinbase] = block.transactions;
  const commitment = coinbase?.vout[witnessCommitmentIndex(block)];
  const tip = formatHash(parent.hash);
  const height = parent.height + 1;
  const units = unitsAt(height, params);
  return {
    capabilities: ['proposal'],
    version: header.version,
    ...formatDeployments(parent, params),
    vbrequired: 0,
    previousblockhash: tip,
    transactions: formatTransactions(entries, units),
    coinbaseaux: { flags: '' },
    coinbasevalue: coinbase?.vout[0]?.value ?? 0n,
    longpollid: `${tip}${poolUpdates}`,
    target: decodeCompact(header.bits).toString(16).padStart(64, '0'),
    mintime: BigInt(parent.medianTimePast() + 1),
    mutable: ['time', 'transactions', 'prevblock'],
    noncerange: '00000000ffffffff',
    sigoplimit: BigInt(MAX_BLOCK_SIGOPS_COST / units),
    sizelimit: BigInt(MAX_BLOCK_SIZE / units),
    weightlimit: units === 1 ? BigInt(MAX_BLOCK_WEIGHT) : undefined,
    curtime: BigInt(header.time),
    bits: header.bits.toString(16).padStart(8, '0'),
    height,
    defaultWitnessCommitment: commitment && toHex(commitment.scriptPubKey),
  };
}

/** Active, started and locked-in deployments. Buried deployments are not listed. */
function formatDeployments(parent: BlockTemplate['parent'], params: NetworkParams): Pick<TemplateAnswer, 'rules' | 'vbavailable'> {
  const rules: string[] = [];
  const vbavailable: Record<string, number> = {};
  for (const deployment of params.bip9.deployments) {
    const status = deploymentStatus(parent, deployment, params);
    if (status === 'active') rules.push(deployment.name);
    if (status === 'started' || status === 'locked_in') vbavailable[deployment.name] = deployment.bit;
  }
  return { rules, vbavailable };
}

function formatTransactions(entries: readonly MempoolEntry[], units: number): TemplateTransaction[] {
  // Indexes in the block, where the coinbase is 0.
  const numbers = new Map(entries.map(({ key }, i) => [key, i + 1]));
  return entries.map(({ tx, fee, sigOpsCost, weight }) => ({
    data: toHex(tx.raw),
    txid: formatHash(tx.txid),
    hash: formatHash(tx.wtxid),
    depends: tx.vin.flatMap(({ prevout }) => numbers.get(toHex(prevout.txid)) ?? []),
    fee,
    sigops: BigInt(sigOpsCost / units),
    weight: BigInt(weight),
  }));
}
