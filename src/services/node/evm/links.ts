import type { VmMapRequest, VmMapResponse } from '../../../../gen/ts/dfi/node/v1/evm.js';
import type { Chain } from '../../../chain/chain.js';
import { evmBlockNumber, evmBlockNumberAt, evmHashOf, evmHeader, evmTip, evmTransaction } from '../../../dfi/evm/blocks.js';
import { formatHash, parseHash256 } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { fromHex, toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';

interface LinkModules {
  readonly chain: Pick<Chain, 'state' | 'tip' | 'entry' | 'entryAt'>;
}
type LinkChain = LinkModules['chain'];

/** Looks up the counterpart of an input; throws if there is none. */
type Lookup = (input: string, chain: LinkChain) => string;

/** Names of the types in answers, and their look-ups; type 0 detects one of them. */
const TYPES: Readonly<Record<number, { readonly name: string; readonly lookup: Lookup }>> = {
  1: { name: 'BlockNumberDVMToEVM', lookup: numberOfHeight },
  2: { name: 'BlockNumberEVMToDVM', lookup: heightOfNumber },
  3: { name: 'BlockHashDVMToEVM', lookup: (input, chain) => `0x${required(input, evmBlockOf(input, chain))}` },
  4: { name: 'BlockHashEVMToDVM', lookup: (input, chain) => required(input, blockOfEvm(input, chain)) },
  5: { name: 'TxHashDVMToEVM', lookup: (input, chain) => `0x${required(input, evmTransactionOf(input, chain))}` },
  6: { name: 'TxHashEVMToDVM', lookup: (input, chain) => required(input, transactionOfEvm(input, chain)) },
};

const DETECT = 0;
/** Hashes in the order in which a type is detected. */
const HASH_TYPES: readonly (readonly [type: number, find: (input: string, chain: LinkChain) => string | undefined])[] = [
  [5, evmTransactionOf],
  [6, transactionOfEvm],
  [3, evmBlockOf],
  [4, blockOfEvm],
];
const HASH_LENGTHS = [64, 66];
/** Links are stored under hex in lower case, and `defid` compares texts. */
const HASH = /^[0-9a-f]{64}$/;
const NUMBER = /^\+?\d+$/;
const UINT64_MAX = 2n ** 64n - 1n;

/** @see docs/protocol/evm-engine.md 9.1 */
export const vmMap: Handler<LinkModules, VmMapRequest, VmMapResponse> = ({ chain }, request) => {
  const given = request.input;
  const input = given.length > 2 && given.startsWith('0x') ? given.slice(2) : given;
  const type = request.type ?? DETECT;
  if (type !== DETECT && !TYPES[type]) throw invalidParameter('Invalid parameter');
  const found = TYPES[type === DETECT ? detect(input, chain) : type];
  if (!found) throw invalidParameter('Automatic detection not viable for input');
  return { input: given, type: found.name, output: found.lookup(input, chain) };
};

/** Type of the link that an input has; `DETECT` if there is none, or a number that could be both. */
function detect(input: string, chain: LinkChain): number {
  const number = parseNumber(input);
  if (number !== undefined) {
    const isEvm = evmHeaderAt(number, chain) !== undefined;
    // `defid` keeps 32 bits of the number to look for the DVM block.
    const isDvm = chain.entryAt(Number(BigInt.asIntN(32, number))) !== undefined;
    if (isEvm !== isDvm) return isEvm ? 2 : 1;
  }
  if (!HASH_LENGTHS.includes(input.length)) return DETECT;
  return HASH_TYPES.find(([, find]) => find(input, chain) !== undefined)?.[0] ?? DETECT;
}

function required(input: string, output: string | undefined): string {
  if (output === undefined) throw new NodeError('invalid-request', `Key not found: ${input}`);
  return output;
}

function parseNumber(input: string): bigint | undefined {
  if (!NUMBER.test(input)) return undefined;
  const number = BigInt(input.replace('+', ''));
  return number > UINT64_MAX ? undefined : number;
}

function evmHeaderAt(number: bigint, { state }: LinkChain) {
  const last = evmTip(state)?.number;
  return last === undefined || number > BigInt(last) ? undefined : evmHeader(state, Number(number));
}

function numberOfHeight(input: string, chain: LinkChain): string {
  const height = parseNumber(input);
  const entry = height === undefined || height > BigInt(chain.tip.height) ? undefined : chain.entryAt(Number(height));
  if (!entry) throw invalidParameter(`Invalid block number: ${input}`);
  const number = evmBlockNumberAt(chain.state, entry.height);
  if (number === undefined) throw invalidParameter(`Key not found: ${formatHash(entry.hash)}`);
  return String(number);
}

function heightOfNumber(input: string, chain: LinkChain): string {
  const number = parseNumber(input);
  if (number === undefined) throw invalidParameter(`Invalid block number: ${input}`);
  const header = evmHeaderAt(number, chain);
  if (!header) throw invalidParameter('Invalid block number');
  return String(header.dvmHeight);
}

function evmBlockOf(input: string, chain: LinkChain): string | undefined {
  const height = HASH.test(input) ? chain.entry(parseHash256(input))?.height : undefined;
  const number = height === undefined ? undefined : evmBlockNumberAt(chain.state, height);
  const header = number === undefined ? undefined : evmHeader(chain.state, number);
  // The block may be at the height but not in the active chain.
  return header && formatHash(header.dvmHash) === input ? toHex(header.hash) : undefined;
}

function blockOfEvm(input: string, { state }: LinkChain): string | undefined {
  const number = HASH.test(input) ? evmBlockNumber(state, fromHex(input)) : undefined;
  const header = number === undefined ? undefined : evmHeader(state, number);
  return header && formatHash(header.dvmHash);
}

function evmTransactionOf(input: string, { state }: LinkChain): string | undefined {
  const hash = HASH.test(input) ? evmHashOf(state, parseHash256(input)) : undefined;
  return hash && toHex(hash);
}

function transactionOfEvm(input: string, { state }: LinkChain): string | undefined {
  const txid = HASH.test(input) ? evmTransaction(state, fromHex(input))?.txid : undefined;
  return txid && formatHash(txid);
}
