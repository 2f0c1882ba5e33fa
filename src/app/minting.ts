import type { Anchors } from '../anchors/anchors.js';
import type { Chain } from '../chain/chain.js';
import { publicKeyOf } from '../crypto/ecdsa.js';
import { hash160 } from '../crypto/hash.js';
import { type PrivateKey, parseWif } from '../crypto/keys.js';
import { storedAttributes } from '../dfi/attributes/attributes.js';
import { makeRestartCreations } from '../dfi/restart/creation.js';
import { makeSplitCreations, splitOrders } from '../dfi/splits/creation.js';
import type { Mempool } from '../mempool/mempool.js';
import { observeMinting } from '../metrics/minting.js';
import { BlockAssembler } from '../minting/assembler.js';
import { Forge } from '../minting/forge.js';
import { Minter } from '../minting/minter.js';
import { Staker } from '../minting/staker.js';
import { trialsOnTip } from '../minting/state-trial.js';
import { TemplateCache } from '../minting/template-cache.js';
import type { NetworkParams } from '../params/network.js';
import type { Hash160 } from '../primitives/hash.js';
import { fromHex, toHex } from '../util/bytes.js';
import { mintingAddresses } from './minting-addresses.js';
import type { StartParts } from './parts.js';

/** Minting modules of a running node. */
export interface StartedMinting {
  readonly minter: Minter;
  /** Mints for `-masternode_operator`, or else for the genesis masternodes of regtest. */
  readonly devMinter: Minter;
  readonly templates: TemplateCache;
  /** Undefined without -gen. */
  readonly staker: Staker | undefined;
}

/** Private key of an operator; undefined if this node does not have it. */
export type OperatorKeys = (operator: Hash160) => PrivateKey | undefined;

/** Modules that minting uses. */
export interface MintingNeeds {
  readonly chain: Chain;
  readonly mempool: Mempool;
  /** Keys of loaded wallets; those of the genesis masternodes of regtest are always known. */
  readonly walletKeys?: OperatorKeys;
  readonly anchors?: Pick<Anchors, 'reward'> | undefined;
  readonly peers?: { readonly count: number } | undefined;
}

export function startMinting({ config, clock, log: root, registry, lifecycle }: StartParts, needs: MintingNeeds): StartedMinting {
  const { chain, mempool, walletKeys = () => undefined, anchors, peers } = needs;
  const { params } = chain;
  const log = root.child('minting');
  const published = publishedKeys(params);
  const keys: OperatorKeys = (operator) => walletKeys(operator) ?? published.keys(operator);
  const { operators, rewardScript } = mintingAddresses(config.minting, params);
  const requiredTransactions = (height: number) => [
    ...makeSplitCreations(chain.state, splitOrders(storedAttributes(chain.state), height), height, params),
    ...makeRestartCreations(chain.state, height, params),
  ];
  const { pool } = mempool;
  const beginTrial = trialsOnTip(chain, pool);
  const anchorReward = () => anchors?.reward();
  const assembler = new BlockAssembler(config.minting, { chain, pool, requiredTransactions, anchorReward, log, beginTrial });
  const forge = new Forge({ chain, clock, assembler, log });
  const minter = new Minter({ operators }, { chain, clock, keys, log, assembler, forge });
  const devMinter =
    operators.length > 0 ? minter : new Minter({ operators: published.operators }, { chain, clock, keys, log, assembler, forge });
  lifecycle.onStop('minter', () => minter.stop());
  lifecycle.onStop('minter', () => devMinter.stop());
  observeMinting(registry, forge);
  const templates = new TemplateCache({ chain, clock, assembler, minter, pool });
  const staker = config.minting.enabled ? new Staker({ operators, rewardScript }, { chain, clock, keys, forge, peers, log }) : undefined;
  staker?.start();
  lifecycle.onStop('staking', () => staker?.stop());
  return { minter, devMinter, templates, staker };
}

/** Published private keys of operators: those of the genesis masternodes of regtest. */
function publishedKeys(params: NetworkParams): { readonly operators: readonly Hash160[]; readonly keys: OperatorKeys } {
  const keys = new Map<string, PrivateKey>();
  for (const { operatorKey } of params.masternode.genesis) {
    const key = operatorKey === undefined ? undefined : parseWif(operatorKey, params.address);
    if (key) keys.set(toHex(hash160(publicKeyOf(key.secret, key.compressed))), key);
  }
  return { operators: [...keys.keys()].map(fromHex), keys: (operator) => keys.get(toHex(operator)) };
}
