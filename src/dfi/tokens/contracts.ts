import { isUtf8 } from 'node:buffer';
import type { BlockBuilder } from '../../evm/block/block-builder.js';
import { EntryRefused } from '../../evm/block/entry-error.js';
import { addressInUse, isFreeForToken, type TokenEntry } from '../../evm/block/system-entries.js';
import { tokenAddress } from '../../evm/contracts/addresses.js';
import { isActive } from '../../params/network.js';
import { EncodeError } from '../../primitives/codec.js';
import type { StateView } from '../../storage/view.js';
import { isFeatureOn } from '../attributes/features.js';
import type { EvmStage } from '../context/custom-tx.js';
import { EVM_KEY, evmTips } from '../evm/block-columns.js';
import { evmStateAccounts } from '../evm/state-columns.js';
import type { WriteContext } from '../kernel/block-context.js';
import { TxRejected } from '../kernel/rejected.js';
import { hasFlag, listTokens, type Token } from './columns.js';

/** Longest name of a token that gets a contract, bytes. */
const MAX_CONTRACT_NAME = 30;

/** Context of a change of tokens, some of which have contracts in the EVM. */
export interface TokenContext extends WriteContext {
  /** EVM block under construction, to which the changes of contracts are added. */
  readonly evmBlock?: BlockBuilder | undefined;
  /** Undefined for events of a block. */
  readonly evmStage?: EvmStage;
}

type Names = Pick<Token, 'name' | 'symbol' | 'flags'>;

/** True for tokens that have a contract while the EVM is on: DATs that are no pool shares. */
function hasContract(token: Pick<Token, 'flags'>): boolean {
  return hasFlag(token, 'dat') && !hasFlag(token, 'poolShare');
}

/**
 * Tokens whose contracts the first EVM block deploys, by ascending id.
 * @throws {EntryRefused} if a name does not fit a contract: then the network cannot make that block
 * @see docs/protocol/evm-engine.md 7.6
 */
export function tokensToDeploy(view: StateView): readonly TokenEntry[] {
  const found: TokenEntry[] = [];
  for (const { id, token } of listTokens(view, 1)) {
    if (!hasContract(token)) continue;
    if (faultOf(token) !== undefined) throw new EntryRefused('DST20 token migration failed, invalid token name.');
    found.push(entryOf(id, token));
  }
  return found;
}

/** Deploys the contract of a new token. @throws {TxRejected} @throws {EncodeError} @see docs/protocol/evm-engine.md 7.6 */
export function deployTokenContract(context: TokenContext, id: number, token: Names): void {
  if (!hasContract(token) || !changesContracts(context)) return;
  requireNames(context, token, 'creating');
  const entry = entryOf(id, token);
  prefixRefusal('creating', () => {
    if (context.evmBlock) context.evmBlock.createToken(entry);
    else checkDeployment(context.view, entry);
  });
}

/** Writes new names to the contract of a token, from DF23 on. @throws {TxRejected} @see docs/protocol/evm-engine.md 7.6 */
export function renameTokenContract(context: TokenContext, id: number, old: Names, token: Names): void {
  const { params, height, view, evmBlock } = context;
  if (!isActive(params, 'df23', height) || !hasContract(old)) return;
  if ((old.symbol === token.symbol && old.name === token.name) || !changesContracts(context)) return;
  requireNames(context, token, 'updating');
  const entry = entryOf(id, token);
  prefixRefusal('updating', () => {
    if (evmBlock) evmBlock.renameToken(entry);
    else requireEvmBlocks(view);
  });
}

/** In the mempool and before sending, changes of contracts are checked but not made. */
function changesContracts({ evmBlock, evmStage, view }: TokenContext): boolean {
  return evmBlock !== undefined || (evmStage !== undefined && evmStage !== 'block' && isFeatureOn(view, 'evm'));
}

type Change = 'creating' | 'updating';

/**
 * Before DF23 `defid` does not check names of new tokens: a symbol or name that is not UTF-8 ends in an exception, and one that exceeds a
 * slot would end the process.
 */
function requireNames({ params, height }: TokenContext, token: Names, change: Change): void {
  const fault = faultOf(token);
  if (fault === undefined) return;
  if (isActive(params, 'df23', height)) throw new TxRejected(`Error ${change} DST20 token, token ${fault}\n`);
  if (fault !== TOO_LONG || token.name.length > SLOT_SIZE) throw new EncodeError(`token ${fault}`);
}

const TOO_LONG = 'name is larger than max bytes';
const SLOT_SIZE = 32;

function faultOf({ name, symbol }: Names): string | undefined {
  if (name.length > MAX_CONTRACT_NAME) return TOO_LONG;
  if (!isUtf8(bytesOf(name))) return 'name not valid UTF-8';
  return isUtf8(bytesOf(symbol)) ? undefined : 'symbol not valid UTF-8';
}

function entryOf(id: number, { name, symbol }: Names): TokenEntry {
  return { id, name: bytesOf(name), symbol: bytesOf(symbol) };
}

/** Texts of tokens hold one char per byte. */
function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

function prefixRefusal(change: Change, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (error instanceof EntryRefused) throw new TxRejected(`Error ${change} DST20 token: ${error.message}`);
    throw error;
  }
}

/** @throws {EntryRefused} if the next EVM block would refuse the contract */
function checkDeployment(view: StateView, entry: TokenEntry): void {
  requireEvmBlocks(view);
  if (!isFreeForToken(view.get(evmStateAccounts, tokenAddress(entry.id)))) throw addressInUse(entry);
}

/** The first EVM block has no other entries than those of the node. @throws {EntryRefused} */
function requireEvmBlocks(view: StateView): void {
  if (!view.get(evmTips, EVM_KEY)) throw new EntryRefused('genesis block, tx cannot be added into block template');
}
