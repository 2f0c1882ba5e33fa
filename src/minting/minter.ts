import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from '../chain/chain.js';
import { nextBits } from '../consensus/pos/difficulty.js';
import { findKernel } from '../consensus/pos/kernel.js';
import { nextStakeModifier } from '../consensus/pos/signature.js';
import { signCompact } from '../crypto/ecdsa.js';
import type { PrivateKey } from '../crypto/keys.js';
import { type IdentifiedMasternode, isActiveMasternode, masternodeByOperator } from '../dfi/state/masternodes.js';
import { stakeOf } from '../dfi/state/staking.js';
import { isActive } from '../params/network.js';
import { type Block, block as blockCodec } from '../primitives/block.js';
import { encode } from '../primitives/codec.js';
import { formatHash, type Hash160 } from '../primitives/hash.js';
import { type BlockHeader, hashToSign } from '../primitives/header.js';
import type { Transaction } from '../primitives/transaction.js';
import { destinationOf } from '../script/address.js';
import { compareBytes, equalBytes } from '../util/bytes.js';
import type { Clock } from '../util/clock.js';
import { NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { TimeSearch } from './search.js';
import { assembleBlock, withHeader } from './template.js';

/** What the minter asks of the chain. */
export type MintingChain = Pick<Chain, 'params' | 'tip' | 'state' | 'header' | 'entryAt' | 'testBlock' | 'submitBlock'>;

export interface MinterOptions {
  /** Key ids of the operators that this node mints for (`-masternode_operator`). */
  readonly operators: readonly Hash160[];
}

/** Transactions for a block at a height, in order, with the satoshis of fees that they pay. */
export interface TransactionSource {
  select(height: number): { readonly transactions: readonly Transaction[]; readonly fees: bigint };
}

export interface MinterDeps {
  readonly chain: MintingChain;
  readonly clock: Clock;
  /** The secret of an operator, where this node has it. */
  readonly keys: (operator: Hash160) => PrivateKey | undefined;
  readonly mempool?: TransactionSource;
  readonly log: Logger;
}

/** What `getmininginfo` tells of the block that was assembled last. */
export interface LastAssembled {
  readonly weight: number;
  /** Without the coinbase. */
  readonly transactions: number;
}

interface Staker {
  readonly masternode: IdentifiedMasternode;
  readonly key: PrivateKey;
}

const PAUSE_MS = 2;
const NO_TRANSACTIONS = { transactions: [], fees: 0n };

/** Makes blocks for the masternodes that this node operates. */
export class Minter {
  readonly operators: readonly Hash160[];
  readonly #deps: MinterDeps;
  readonly #search: TimeSearch;
  readonly #stopping = new AbortController();
  #last: LastAssembled | undefined;

  constructor({ operators }: MinterOptions, deps: MinterDeps) {
    this.operators = operators;
    this.#deps = deps;
    this.#search = new TimeSearch(deps.chain.params);
  }

  /** Undefined before the first block. */
  get lastAssembled(): LastAssembled | undefined {
    return this.#last;
  }

  /** The registered masternodes of the configured operators, by operator key bytes, then id. */
  masternodes(): IdentifiedMasternode[] {
    const { state } = this.#deps.chain;
    return this.operators
      .map((operator) => masternodeByOperator(state, operator))
      .filter((found) => found !== undefined)
      .sort((a, b) => compareBytes(a.node.operatorKey, b.node.operatorKey) || compareBytes(a.id, b.id));
  }

  /** Ends every loop after the attempt that it makes. */
  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Mints blocks whose coinbases pay a script. The first attempt is made before anything is counted, so asking for no blocks mints one.
   * @param maxTries attempts to make at most; -1 for any number
   * @param signal ends the loop early
   * @returns how many blocks were minted; fewer than asked for when tries ran out or a block turned out to be invalid
   * @throws {NodeError} if this node has no masternode to mint with
   * @see spec: chain 3.8
   */
  async mintTo(scriptPubKey: Uint8Array, count: number, maxTries: number, signal?: AbortSignal): Promise<number> {
    const operator = this.#chooseMasternode(scriptPubKey).node.operatorKey;
    const key = this.#deps.keys(operator);
    if (!key) throw new NodeError('not-found', 'Error: masternode operator private key not found');
    const ended = signal ? AbortSignal.any([signal, this.#stopping.signal]) : this.#stopping.signal;
    let minted = 0;
    for (let tried = 1; ; tried++) {
      const outcome = this.#attempt(operator, key, scriptPubKey);
      if (outcome === 'invalid') break;
      if (outcome === 'minted') minted += 1;
      if (minted >= count || (maxTries !== -1 && tried >= maxTries) || ended.aborted) break;
      await this.#pause(outcome, ended);
      if (ended.aborted) break;
    }
    return minted;
  }

  /** Lets other work run; without a block also lets some time pass, for the clock may have to move on. */
  async #pause(outcome: 'minted' | 'waiting', ended: AbortSignal): Promise<void> {
    if (outcome === 'minted') return new Promise((resolve) => setImmediate(resolve));
    await sleep(PAUSE_MS, undefined, { signal: ended }).catch(() => undefined);
  }

  /** The rules differ between releases: the later one also knows owners, and wants the masternode to be active. */
  #chooseMasternode(scriptPubKey: Uint8Array): IdentifiedMasternode {
    const own = this.masternodes();
    const [first] = own;
    if (!first) throw new NodeError('not-found', 'Error: I am not masternode operator');
    const destination = destinationOf(scriptPubKey);
    const keyId = destination?.type === 'pkh' || destination?.type === 'wpkh' ? destination.hash : undefined;
    const operated = own.find(({ node }) => keyId && equalBytes(node.operatorKey, keyId));
    const { params, tip } = this.#deps.chain;
    if (!isActive(params, 'metachain', tip.height + 1)) return operated ?? first;
    // Whether the first is active decides for an operator's address too.
    if (operated && this.#isActive(first)) return operated;
    const owned = own.find((one) => keyId && equalBytes(one.node.ownerKey, keyId) && this.#isActive(one));
    if (owned) return owned;
    if (!this.#isActive(first)) throw new NodeError('not-found', 'Error: masternode not active');
    return first;
  }

  #isActive({ node }: IdentifiedMasternode): boolean {
    const { state, tip, params } = this.#deps.chain;
    return isActiveMasternode(state, node, tip.height + 1, params);
  }

  /** One try to extend the tip. `invalid` means that trying again is no use. */
  #attempt(operator: Hash160, key: PrivateKey, scriptPubKey: Uint8Array): 'minted' | 'waiting' | 'invalid' {
    const { chain, log } = this.#deps;
    const masternode = masternodeByOperator(chain.state, operator);
    if (!masternode || !this.#isActive(masternode)) return 'waiting';
    const staker = { masternode, key };
    const time = this.#findTime(staker);
    if (time === undefined) return 'waiting';
    const block = this.#makeBlock(staker, time, scriptPubKey);
    const reason = chain.testBlock(block);
    if (reason !== undefined) {
      log.warn('assembled block is invalid', { height: chain.tip.height + 1, reason });
      return 'invalid';
    }
    const result = chain.submitBlock(encode(blockCodec(chain.params.txFormat), block));
    if (result.status === 'accepted') {
      log.info('minted block', { height: chain.tip.height, hash: formatHash(block.hash) });
      return 'minted';
    }
    log.warn('minted block was not accepted', { ...result, hash: formatHash(block.hash) });
    return result.status === 'rejected' ? 'invalid' : 'waiting';
  }

  #findTime({ masternode }: Staker): number | undefined {
    const { chain, clock } = this.#deps;
    const { params, tip } = chain;
    const height = tip.height + 1;
    const bits = nextBits(tip, params);
    const stakeModifier = this.#modifier(masternode);
    const stake = params.pos.dummy ? undefined : stakeOf(chain.state, masternode, height, (at) => chain.entryAt(at)?.time, params);
    if (!params.pos.dummy && !stake) return undefined;
    return this.#search.find(
      tip,
      clock.seconds(),
      (time) => stake === undefined || findKernel({ height, time, bits, stakeModifier }, stake, params) !== undefined,
    );
  }

  #modifier({ node }: IdentifiedMasternode): Uint8Array {
    const { chain } = this.#deps;
    return nextStakeModifier(chain.header(chain.tip).stakeModifier, node.operatorKey);
  }

  #makeBlock({ masternode, key }: Staker, time: number, scriptPubKey: Uint8Array): Block {
    const { chain, mempool } = this.#deps;
    const { transactions, fees } = mempool?.select(chain.tip.height + 1) ?? NO_TRANSACTIONS;
    const { block, weight } = assembleBlock({ parent: chain.tip, time, scriptPubKey, transactions, fees }, chain.params);
    this.#last = { weight, transactions: transactions.length };
    const stake = { stakeModifier: this.#modifier(masternode), mintedBlocks: BigInt(masternode.node.mintedBlocks + 1) };
    return signBlock(withHeader(block.transactions, { ...block.header, ...stake }), key);
  }
}

/** The block with the operator's signature in its header. */
export function signBlock({ header, transactions }: Block, key: PrivateKey): Block {
  const signed: BlockHeader = { ...header, signature: signCompact(hashToSign(header), key.secret, key.compressed) };
  return withHeader(transactions, signed);
}
