import { BlockBuilder, type BuiltBlock } from '../../../src/evm/block/block-builder.js';
import type { TokenEntry } from '../../../src/evm/block/system-entries.js';
import { decodeEvmTransaction } from '../../../src/evm/codec/transaction.js';
import { tokenAddress } from '../../../src/evm/contracts/addresses.js';
import { mappingSlot } from '../../../src/evm/contracts/slots.js';
import type { FindPrecompile } from '../../../src/evm/interpreter.js';
import type { Precompile } from '../../../src/evm/machine.js';
import { STANDARD_PRECOMPILES } from '../../../src/evm/precompiles/standard.js';
import type { StateStore } from '../../../src/evm/state/commit.js';
import { addressWord, readWord, wordBytes } from '../../../src/evm/words.js';
import { concatBytes, fromHex } from '../../../src/util/bytes.js';
import { protocolData } from '../../shared.js';

export interface Item {
  readonly kind: string;
  readonly note: string;
  readonly raw: string;
  readonly error: string | null;
}
export interface RecordedReceipt {
  readonly contract: string | null;
  readonly gas: number;
  readonly hash: string;
  readonly price: string;
  readonly status: number;
  /** Address, topics and data. */
  readonly logs: readonly { readonly a: string; readonly t: readonly string[]; readonly d: string }[];
}
/** A block as `defid` made it. */
export interface RecordedBlock {
  readonly number: number;
  readonly dvmHeight: number;
  readonly bits: number;
  readonly time: number;
  readonly beneficiary: string;
  readonly hash: string;
  readonly header: string;
  readonly burntWei: string;
  readonly priorityWei: string;
  readonly stateRoot: string;
  readonly receiptsRoot: string;
  readonly transactionsRoot: string;
  readonly items: readonly Item[];
  readonly receipts: readonly RecordedReceipt[];
  readonly accounts: Readonly<Record<string, RecordedAccount>>;
}
export interface RecordedAccount {
  readonly address: string;
  readonly absent?: boolean;
  readonly balance: string;
  readonly nonce: number;
  readonly storageRoot: string;
  readonly codeHash: string;
}
export interface RecordedChain {
  readonly df23: number | null;
  readonly df24: number | null;
  readonly tokensAtBlock0: readonly { readonly id: number; readonly name: string; readonly symbol: string }[];
  readonly blocks: readonly RecordedBlock[];
}

const GAS_LIMIT = 30_000_000n;
const CHAIN_ID = 1133n;
const TRANSFER_OFFSETS = { native: 68, token: 100 };
const utf8 = new TextEncoder();
const { main, edge } = protocolData<{ readonly main: RecordedChain; readonly edge: RecordedChain }>('evm-vectors.json');

/** Recorded chains by name. */
export const recordedChains = { main, edge };

/** The recordings answer 0x0a like this: token 1 becomes token 2, twice the amount. */
const split: Precompile = {
  cost: () => 1000,
  run(input, { state }) {
    const token = addressWord(input.subarray(44, 64));
    const amount = 2n * readWord(input, 64);
    const target = tokenAddress(2);
    for (const slot of [mappingSlot(0n, token), mappingSlot(1n, token), 2n])
      state.setStorage(target, slot, state.storage(target, slot) + amount);
    return concatBytes(wordBytes(target), wordBytes(amount));
  },
};

const findPrecompile: FindPrecompile = (address, { caller }) =>
  address === 10n && caller >> 152n === 0xffn ? split : STANDARD_PRECOMPILES.get(address);

/** Adds an entry of a recorded block. */
export function addItem(block: BlockBuilder, { kind, raw }: Item): void {
  if (kind === 'rename token') block.renameToken(tokenOf(raw));
  else if (kind === 'create token') block.createToken(tokenOf(raw));
  else if (kind === 'evm') block.addTransaction(decodeEvmTransaction(fromHex(raw)));
  else {
    const signed = decodeEvmTransaction(fromHex(raw));
    const { data } = signed.tx;
    const isToken = kind.startsWith('token');
    const wei = readWord(data, isToken ? TRANSFER_OFFSETS.token : TRANSFER_OFFSETS.native);
    const direction = kind.endsWith('in') ? 'in' : 'out';
    block.addTransfer({ signed, direction, token: isToken ? readWord(data, 16, 20) : undefined, wei });
  }
}

function tokenOf(text: string): TokenEntry {
  const [id = '', name = '', symbol = ''] = text.split('|');
  return { id: Number(id), name: utf8.encode(name), symbol: utf8.encode(symbol) };
}

/** Starts a recorded block on those that were built before it. */
export function startBlock(chain: RecordedChain, recorded: RecordedBlock, store: StateStore, built: readonly BuiltBlock[]): BlockBuilder {
  const parent = built.at(-1);
  const block = new BlockBuilder({
    parent: parent && { ...parent.header, hash: parent.hash },
    store,
    beneficiary: addressWord(fromHex(recorded.beneficiary)),
    bits: recorded.bits,
    timestamp: recorded.time,
    gasLimit: GAS_LIMIT,
    gasTargetFactor: 2n,
    dvmHeight: recorded.dvmHeight,
    chainId: CHAIN_ID,
    upgrades: { df23: chain.df23 ?? Number.POSITIVE_INFINITY, df24: chain.df24 ?? Number.POSITIVE_INFINITY },
    blockHash: (number) => built[Number(number)]?.hash,
    findPrecompile,
  });
  block.startBlock(chain.tokensAtBlock0.map((token) => tokenOf(`${token.id}|${token.name}|${token.symbol}`)));
  return block;
}
