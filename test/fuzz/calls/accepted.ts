import { isUtf8 } from 'node:buffer';
import type { Catalogue, Operation, Signature } from '../../../src/rpc/catalogue.js';
import type { Call } from './random-call.js';

/** A call with the answers of both nodes, as text. */
export interface Exchange extends Call {
  readonly ours: string;
  readonly theirs: string;
  /** Bytes of the request if they are not the plain JSON of the call. */
  readonly body?: Uint8Array;
}

/** A difference that is known and intended. */
interface Accepted {
  readonly reason: string;
  /** Operations with it; all if absent. */
  readonly methods?: readonly string[];
  readonly holds: (exchange: Exchange, operation: Operation | undefined) => boolean;
}

const UNKNOWN_NAME = /"message":"Unknown named parameter [^"]*"/;
/** Five hundred openings of lists or objects in a row. */
const NESTED = /(\[|\{"a":){500}/;
const NO_OBJECT = '"message":"JSON value is not an object as expected"';
const KNOWN = /"(?:18: )?txn-already-known"/g;
const MISSING = '"missing-inputs"';

/** Differences that are no mistake, with the reason of each. */
const ACCEPTED: readonly Accepted[] = [
  {
    reason: 'help texts are our own, and are the answer to a wrong number of arguments',
    holds: ({ ours, theirs }) => isHelp(ours) && isHelp(theirs),
  },
  {
    reason: 'the order of arguments of the operations document is accepted in addition to that of `defid`',
    holds: ({ params, theirs }, operation) =>
      operation !== undefined && /"error":\{/.test(theirs) && operation.signatures.length > 1 && !fits(params, operation.signatures[0]),
  },
  {
    reason: 'the third argument may be missing, as in the operations document',
    methods: ['prioritisetransaction'],
    holds: ({ params, theirs }) => params.length === 2 && isHelp(theirs),
  },
  {
    reason: '`defid` reads an id from memory that was not set if the text cannot be a number',
    methods: ['updatetoken'],
    holds: ({ params: [token], theirs }) => /^\s*-|^\s+$|\0/.test(textOf(token)) && /does not exist!|Can't alter DFI token!/.test(theirs),
  },
  {
    reason: '`defid` judges the validity of votes on all proposals by memory that was not set',
    methods: ['listgovproposalvotes'],
    holds: ({ params: [first] }) =>
      typeof first !== 'string' && (first as { readonly proposalId?: unknown } | null | undefined)?.proposalId === undefined,
  },
  {
    reason: '`defid` finds a transaction of a block by its outputs only while its cache has them',
    methods: ['testmempoolaccept'],
    holds: ({ ours, theirs }) => ours.replaceAll(KNOWN, MISSING) === theirs.replaceAll(KNOWN, MISSING),
  },
  {
    reason: 'some error texts of `defid` end at a NUL in an argument that they quote',
    holds: ({ params, ours, theirs }) => JSON.stringify(params).includes('\\u0000') && isCut(ours, theirs),
  },
  {
    reason: 'memory of the pool is that of another program',
    methods: ['getmempoolinfo'],
    holds: ({ ours, theirs }) => withoutUsage(ours) === withoutUsage(theirs),
  },
  {
    reason: 'the pause may be left out, as the help of `defid` says and its functional tests expect, but `defid` itself requires it',
    methods: ['votegovbatch'],
    holds: ({ params, theirs }) => params.length < 2 && theirs.includes('JSON value is not an integer as expected'),
  },
  {
    reason: 'the fourth argument is one of 4.2.5, which this node has in addition',
    methods: ['gettokenbalances'],
    holds: ({ params, theirs }) => params.length > 3 && isHelp(theirs),
  },
  {
    reason: '`defid` 3.2.8 names the pool that rejects an amount of zero by memory that was not set',
    methods: ['compositeswap', 'testpoolswap'],
    holds: ({ ours, theirs }) => ours.includes('Cannot find usable pool pair.') && theirs.includes('Input amount should be positive'),
  },
  {
    reason: 'questions about the chain need no wallet',
    methods: ['estimatecollateral', 'estimatevault', 'getmasternode', 'listburnhistory', 'listmasternodes', 'listvaulthistory'],
    holds: ({ theirs }) => /because no wallet is loaded|Wallet file not specified/.test(theirs),
  },
  {
    reason: 'shares of the subsidy are shown for blocks without any too, as by 3.2.8',
    methods: ['getblock'],
    holds: ({ ours, theirs }) => ours.replace('"nonutxo":[],', '') === theirs,
  },
  {
    reason: 'burns by consortium members are shown, as by 3.2.8',
    methods: ['getburninfo'],
    holds: ({ ours, theirs }) => ours.replace('"consortiumtokens":[],', '') === theirs,
  },
  {
    reason:
      '`defid` 4.2.5 gives addresses, logs of different contracts in a block, and storage keys in the order of a hash table, which varies',
    methods: ['eth_getLogs', 'eth_createAccessList'],
    holds: ({ ours, theirs }) => withoutOrder(ours) === withoutOrder(theirs),
  },
  {
    reason: '`defid` 4.2.5 traces a transaction that destroys a contract without the storage that the contract had',
    methods: ['debug_traceTransaction', 'debug_traceBlockByHash', 'debug_traceBlockByNumber'],
    holds: ({ ours }) => ours.includes('"SELFDESTRUCT"'),
  },
  {
    reason: 'the order of names of the operations document is preferred, and an object may be missing',
    holds: ({ body, theirs }, operation) =>
      body !== undefined && operation !== undefined && operation.signatures.length > 1 && theirs.includes(NO_OBJECT),
  },
  {
    reason: 'a body of one minus sign is no JSON',
    holds: ({ body }) => body !== undefined && Buffer.from(body).toString('latin1').trim() === '-',
  },
  {
    reason:
      'names of arguments of the operations document are accepted in addition to those of `defid`, which names any of several unknown ones',
    holds: ({ theirs }) => UNKNOWN_NAME.test(theirs),
  },
  {
    reason: '`defid` reads bytes in JSON that are no UTF-8, such as long forms and numbers beyond the last one',
    holds: ({ body, ours }) => body !== undefined && !isUtf8(body) && ours.includes('Parse error'),
  },
  {
    reason: 'JSON is nested in 512 levels at most',
    holds: ({ body, ours }) => body !== undefined && NESTED.test(Buffer.from(body).toString('latin1')) && ours.includes('Parse error'),
  },
  {
    reason: 'a transaction in a text with escapes is read, and its content judged',
    methods: ['eth_sendRawTransaction'],
    holds: ({ params, theirs }) => JSON.stringify(params).includes('\\') && theirs.includes('expected a borrowed string'),
  },
];

/** Reason of a difference between wallets that is gone once they are loaded again. */
export const REMEMBERED_OWNERS = '`defid` remembers who owns a script, also when an import has changed that';

/** Calls that end `defid` 3.2.8 itself, or after which the nodes differ. They are not made. */
const LEFT_OUT: readonly { readonly reason: string; readonly method: string; readonly holds: (params: readonly unknown[]) => boolean }[] = [
  {
    reason: 'it uses the id of a pool without a check that the text is a number',
    method: 'testpoolswap',
    holds: ([, path]) => membersOf(path).some((id) => !/^\s*[+-]?\d/.test(textOf(id))),
  },
  {
    reason: 'it reads the last proposal without a check that there is one',
    method: 'listgovproposals',
    holds: ([first, , cycle]) => cycle === -1 || (first as { readonly cycle?: unknown } | null | undefined)?.cycle === -1,
  },
  {
    reason: 'only this node imports something, because it also accepts the order of arguments of the operations document',
    method: 'importmulti',
    holds: ([, options]) => Array.isArray(options) || typeof (options ?? {}) !== 'object',
  },
];

/** True if the call must not be made. */
export function isLeftOut({ method, params }: Call): boolean {
  return LEFT_OUT.some((each) => each.method === method && each.holds(params));
}

/** Members of a list, which may be given as its JSON. */
function membersOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'string') return Array.isArray(value) ? value : [];
  try {
    return Object.values(JSON.parse(value) ?? {});
  } catch {
    return [];
  }
}

/** Text that `defid` reads from a value of any kind. */
function textOf(value: unknown): string {
  if (value === true) return '1';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Reason to accept the difference between two answers; undefined if it is a mistake. */
export function acceptedReason(exchange: Exchange, catalogue: Catalogue): string | undefined {
  const operation = catalogue.byName(exchange.method);
  const concerns = ({ methods }: Accepted) => methods === undefined || methods.includes(exchange.method);
  return ACCEPTED.find((each) => concerns(each) && each.holds(exchange, operation))?.reason;
}

/** True if an answer is a help text: no other error of this code has several lines. */
function isHelp(text: string): boolean {
  return /"error":\{"code":-1,"message":"(?:[^"\\]|\\[^n])*\\n/.test(text);
}

/** True if both are errors of one code, and the text of `defid` is the beginning of ours. */
function isCut(ours: string, theirs: string): boolean {
  const [own, other] = [ours, theirs].map(
    (text) => /^\d+ \{"result":null,"error":(\{"code":-?\d+,"message":".*)"\},"id":1\}\s*$/.exec(text)?.[1],
  );
  return own !== undefined && other !== undefined && own.startsWith(other);
}

/** An answer whose lists are sorted. */
function withoutOrder(answer: string): string {
  const sorted = (_: string, value: unknown) => (Array.isArray(value) ? value.map((each) => JSON.stringify(each, sorted)).sort() : value);
  return JSON.stringify(JSON.parse(answer.slice(answer.indexOf('{'))), sorted);
}

function withoutUsage(text: string): string {
  return text.replace(/"usage":\d+/, '');
}

/** True if there are as many arguments as the signature has, with objects where it has them. */
function fits(params: readonly unknown[], signature: Signature | undefined): boolean {
  if (!signature || params.length < signature.least || params.length > signature.most) return false;
  const isObject = (value: unknown) => typeof value === 'object' && !Array.isArray(value);
  return params.every((param, i) => signature.positions[i]?.kind !== 'object' || isObject(param));
}
