import { FOUNDER } from '../../regtest.js';
import type { RecordedBlock, Recording } from '../../shared.js';

/** Values that exist on a chain. None of the lists is empty. */
export interface ChainValues {
  /** Of blocks and transactions, which are ids of masternodes, vaults, oracles, orders and proposals too. */
  readonly hashes: readonly string[];
  readonly addresses: readonly string[];
  /** Symbols, ids and names that may be those of a token. */
  readonly symbols: readonly string[];
  /** Transactions in hex. */
  readonly transactions: readonly string[];
  /** Hashes of blocks and transactions of the EVM, and other words of 32 bytes, with 0x. */
  readonly evmHashes: readonly string[];
  readonly evmAddresses: readonly string[];
}

/** Answer of a node. @returns the result; undefined after an error */
export type Asking = (method: string, params?: readonly unknown[]) => Promise<unknown>;

const LISTS = [
  ...['listvaults', 'listoracles', 'listmasternodes', 'listgovproposals'],
  ...['icx_listorders', 'listtokens', 'listloanschemes', 'listaccounts'],
];
const SYMBOLS = ['DFI', '0', 'BTC', 'nope', 'DFI#1', 'BTC-DFI', 'DUSD', '1', '128', '-1'];
const READ_BLOCKS = 60;
const MAX_HASHES = 3_000;
const MAX_ADDRESSES = 500;
/** Longer answers add little that shorter ones do not have. */
const MAX_ANSWER = 20_000;

const HASH = /^[0-9a-f]{64}$/;
const ADDRESS = /^(m|n|2|bcrt1)[0-9a-zA-Z]{25,70}$/;
const EVM_HASH = /^0x[0-9a-f]{64}$/;
const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SYMBOL = /^[A-Z]{1,8}(#\d+)?(-[A-Z#0-9]+)?$/;

/**
 * Collects the values of a recorded chain: from recorded answers, the last blocks, and lists of the state.
 * @param lists further operations whose answers have values
 */
export async function chainValues({ steps }: Recording, ask: Asking, lists: readonly string[]): Promise<ChainValues> {
  const found = new FoundValues();
  const blocks = steps.filter((step): step is RecordedBlock => 'hex' in step);
  for (const { hash } of blocks) found.collect(hash);
  for (const { hash } of blocks.slice(-READ_BLOCKS)) found.collect(await ask('getblock', [hash, 2]));
  for (const list of [...LISTS, ...lists]) found.collect(await ask(list));
  for (const step of steps) {
    if ('answers' in step) for (const { result } of step.answers) if (result && result.length < MAX_ANSWER) found.collect(parsed(result));
  }
  return found.values();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class FoundValues {
  readonly #hashes = new Set(['ab'.repeat(32)]);
  readonly #addresses = new Set([FOUNDER.address]);
  readonly #symbols = new Set(SYMBOLS);
  readonly #transactions = new Set(['00']);
  readonly #evmHashes = new Set([`0x${'ab'.repeat(32)}`]);
  readonly #evmAddresses = new Set([`0x${'ab'.repeat(20)}`]);

  /** Collects the values within a result. */
  collect(value: unknown, name?: string): void {
    if (typeof value === 'string') this.#sort(value, name);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      this.#sort(key);
      this.collect(each, key);
    }
  }

  #sort(text: string, name?: string): void {
    if (HASH.test(text)) addUpTo(this.#hashes, text, MAX_HASHES);
    else if (ADDRESS.test(text)) addUpTo(this.#addresses, text, MAX_ADDRESSES);
    else if (EVM_HASH.test(text)) addUpTo(this.#evmHashes, text, MAX_HASHES);
    else if (EVM_ADDRESS.test(text)) addUpTo(this.#evmAddresses, text, MAX_ADDRESSES);
    else if (SYMBOL.test(text)) this.#symbols.add(text);
    else if (name === 'hex') this.#transactions.add(text);
  }

  values(): ChainValues {
    const [hashes, addresses] = [[...this.#hashes], [...this.#addresses]];
    const [evmHashes, evmAddresses] = [[...this.#evmHashes], [...this.#evmAddresses]];
    return { hashes, addresses, symbols: [...this.#symbols], transactions: [...this.#transactions], evmHashes, evmAddresses };
  }
}

function addUpTo(set: Set<string>, value: string, max: number): void {
  if (set.size < max) set.add(value);
}
