import { basename } from 'node:path';
import type { Operation } from '../../../src/rpc/catalogue.js';
import { Daemon } from '../../daemon.js';
import { committedCatalogue } from '../../rpc/catalogue.js';
import { type Recording, readRecording } from '../../shared.js';
import { Random } from '../mutate.js';
import { acceptedReason, type Exchange, isLeftOut, REMEMBERED_OWNERS } from './accepted.js';
import { chainValues } from './chain-values.js';
import { ETHEREUM_SAMPLES, METACHAIN_SAMPLES } from './metachain-samples.js';
import { type Answer, DefidDaemon, type EthereumPorts, ethereumPorts, NodeClient } from './node-client.js';
import { type Call, CallMaker, type Samples } from './random-call.js';
import { BodyMaker, type RequestBody } from './request-body.js';
import { SAMPLES } from './samples.js';
import { fillWallet, WALLET_LISTS, WALLET_SAMPLES } from './wallet-samples.js';

const FLAGS = ['-txindex', '-acindex', '-vaultindex', '-blockfilterindex', '-fallbackfee=0.0002'];
/** Members of answers that differ between two runs of one program. */
const VARYING = /"(time|startingtime|localtime|timereceived|size_on_disk|disk_size|verificationprogress|keypoololdest|hdseedid)": ?[^,}]+/g;
/** Recorded calls of one operation that serve as samples. */
const MAX_RECORDED = 400;
/** Length of the status before an answer, with a space. */
const STATUS = 4;
/** Length of texts in reports. */
const SHOWN = 400;

/** Operations that end `defid` 3.2.8 with some arguments, or change what later calls read: bodies may be refused by one node alone. */
const LEFT_OUT = new Set([
  'testpoolswap',
  'listgovproposals',
  'setlabel',
  'setwalletflag',
  'settxfee',
  'lockunspent',
  'addmultisigaddress',
]);

export type CallKind = 'all' | 'wallet' | 'ethereum' | 'initial' | 'locked' | 'bodies';

/** Passphrase of wallets that are locked. */
const PASSPHRASE = 'secret';

export interface Comparison {
  readonly recording: string;
  readonly count: number;
  readonly seed: number;
  /**
   * Calls of all kinds; of a wallet that has the coins of the chain; to the Ethereum port, of a recording of 4.2.5; of all kinds in the
   * initial block download, as no block is submitted; with wallets that are locked; or within bodies of unusual and wrong JSON.
   */
  readonly kind: CallKind;
  /** Further flags of both nodes. */
  readonly flags: readonly string[];
  /** Operations to call; empty for all. */
  readonly methods: readonly string[];
}

export interface Outcome {
  readonly same: number;
  /** Number of accepted differences by their reason. */
  readonly accepted: ReadonlyMap<string, number>;
  readonly different: readonly Exchange[];
}

/**
 * Plays a recording into our daemon and into a `defid`, and makes random calls to both.
 * @param defid path of the program
 * @throws {Error} if the nodes reach different tips, or one of them ends
 */
export async function compareCalls(defid: string, comparison: Comparison): Promise<Outcome> {
  const recording = readRecording(comparison.recording);
  const flags = [...FLAGS, ...recording.header.flags, ...comparison.flags];
  const [ownPorts, ports] = hasEvm(recording) ? [await ethereumPorts(), await ethereumPorts()] : [NO_PORTS, NO_PORTS];
  const ours = new Daemon([...flags, '-rpcstrict', ...ownPorts.flags]);
  // The cache of answers of `defid` does not notice changes of the wallet.
  const cache = comparison.kind === 'wallet' ? ['-rpccache=0'] : [];
  const theirs = new DefidDaemon(defid, [...flags, ...cache, ...ports.flags]);
  try {
    await Promise.all([ours.start(), theirs.start()]);
    const pair = new Pair(new NodeClient(ours.rpcPort), new NodeClient(theirs.rpcPort));
    if (comparison.kind !== 'initial') await pair.play(recording);
    if (comparison.kind === 'wallet') await pair.fillWallets();
    if (comparison.kind === 'locked') await pair.lockWallets();
    const maker = await callMaker(recording, pair, comparison);
    const asked = comparison.kind === 'ethereum' ? new Pair(ethereumClient(ownPorts), ethereumClient(ports)) : pair;
    if (comparison.kind === 'bodies') return await pair.compareBodies(maker, new Random(comparison.seed), comparison.count);
    return await asked.compare(maker, comparison.count);
  } finally {
    await ours.destroy();
    theirs.destroy();
  }
}

const NO_PORTS: EthereumPorts = { port: 0, flags: [] };

function ethereumClient({ port }: EthereumPorts): NodeClient {
  if (port === 0) throw new Error('this recording is of a defid without an EVM');
  return new NodeClient(port, { jsonrpc: '2.0' });
}

/** True if a recording is of a `defid` 4.2.5. */
export function hasEvm({ header }: Recording): boolean {
  return header.version === '4.2.5';
}

async function callMaker(recording: Recording, { theirs }: Pair, { seed, methods, kind }: Comparison): Promise<CallMaker> {
  const ask = (method: string, params?: readonly unknown[]) => theirs.result(method, params);
  const values = await chainValues(recording, ask, kind === 'wallet' ? WALLET_LISTS : []);
  const samples = kind === 'wallet' ? WALLET_SAMPLES : withRecorded(samplesOf(kind, recording), recording);
  return new CallMaker(new Random(seed), samples, values, methods);
}

function samplesOf(kind: CallKind, recording: Recording): Samples {
  if (kind === 'ethereum') return ETHEREUM_SAMPLES;
  const samples = hasEvm(recording) ? { ...SAMPLES, ...METACHAIN_SAMPLES } : SAMPLES;
  if (kind !== 'initial') return samples;
  // `defid` divides by the number of its workers here, which is at most the height.
  const { getburninfo, ...others } = samples;
  return others;
}

/** Samples with the calls that a recording has of the same operations. */
function withRecorded(samples: Samples, { steps }: Recording): Samples {
  const recorded = steps.flatMap((step) => ('answers' in step ? step.answers : []));
  const entries = Object.entries(samples).map(([method, own]) => {
    const params = recorded.filter((answer) => answer.method === method && Array.isArray(answer.params)).map((answer) => answer.params);
    return [method, [...own, ...(params.slice(-MAX_RECORDED) as (readonly unknown[])[])]] as const;
  });
  return Object.fromEntries(entries);
}

/** Two nodes with one chain. */
class Pair {
  readonly #catalogue = committedCatalogue(true);
  #hasCoins = false;

  constructor(
    readonly ours: NodeClient,
    readonly theirs: NodeClient,
  ) {}

  /** Submits the blocks of a recording. @throws {Error} if the nodes have different tips then */
  async play({ header, steps }: Recording): Promise<void> {
    for (const step of steps) {
      if (!('hex' in step)) continue;
      await this.#both('setmocktime', [step.time]);
      await this.#both('submitblock', [step.hex]);
    }
    const [own, other] = await this.#both('getbestblockhash');
    if (own.text !== other.text) throw new Error(`the tips of ${header.name} differ: ${own.text} and ${other.text}`);
  }

  async fillWallets(): Promise<void> {
    this.#hasCoins = true;
    await Promise.all([fillWallet(this.ours), fillWallet(this.theirs)]);
  }

  async lockWallets(): Promise<void> {
    for (const { status, text } of await this.#both('encryptwallet', [PASSPHRASE]))
      if (status !== 200) throw new Error(`encryptwallet: ${text}`);
  }

  compare(maker: CallMaker, count: number): Promise<Outcome> {
    return this.#compare(() => this.#exchange(maker), count);
  }

  /** Compares the answers to bodies of requests with the calls of a maker. */
  compareBodies(maker: CallMaker, random: Random, count: number): Promise<Outcome> {
    const namesOf = (method: string) => namesIn(this.#catalogue.byName(method));
    const next = () => {
      let call = nextCall(maker);
      while (LEFT_OUT.has(call.method)) call = nextCall(maker);
      return call;
    };
    const bodies = new BodyMaker(random, next, namesOf);
    return this.#compare(() => this.#bodyExchange(bodies.body()), count);
  }

  async #compare(next: () => Promise<Exchange>, count: number): Promise<Outcome> {
    const accepted = new Map<string, number>();
    const different: Exchange[] = [];
    for (let made = 0; made < count; made++) {
      const exchange = await next();
      if (exchange.ours === exchange.theirs) continue;
      const reason = this.#acceptedReason(exchange) ?? (await this.#reasonOfOwners(exchange));
      if (reason === undefined) different.push(exchange);
      else accepted.set(reason, (accepted.get(reason) ?? 0) + 1);
    }
    const differences = [...accepted.values()].reduce((sum, each) => sum + each, different.length);
    return { same: count - differences, accepted, different };
  }

  /** Reason of a difference, which all calls of a batch that differ must have. */
  #acceptedReason(exchange: Exchange): string | undefined {
    const items = itemsOf(exchange)?.filter(({ ours, theirs }) => ours !== theirs);
    if (!items || items.length === 0) return acceptedReason(exchange, this.#catalogue);
    const reasons = items.map((item) => acceptedReason(item, this.#catalogue));
    return reasons.includes(undefined) ? undefined : reasons[0];
  }

  /** Loads both wallets again, and repeats a call that reads them. @returns the reason of a difference that is gone then */
  async #reasonOfOwners(call: Call): Promise<string | undefined> {
    if (!this.#hasCoins || !/^(get|list|accounthistorycount)/.test(call.method)) return undefined;
    // On both nodes, because locks of coins end with it.
    for (const method of ['unloadwallet', 'loadwallet']) await this.#both(method, ['']);
    const { ours, theirs } = await this.#made(call);
    return ours === theirs ? REMEMBERED_OWNERS : undefined;
  }

  #exchange(maker: CallMaker): Promise<Exchange> {
    return this.#made(nextCall(maker));
  }

  async #bodyExchange({ method, bytes }: RequestBody): Promise<Exchange> {
    const [own, other] = await Promise.all([postTo(this.ours, 'this node', bytes), postTo(this.theirs, 'defid', bytes)]);
    return { method, params: paramsIn(bytes), body: bytes, ours: comparable(own), theirs: comparable(other) };
  }

  async #made(call: Call): Promise<Exchange> {
    const [own, other] = await this.#both(call.method, call.params);
    return { ...call, ours: comparable(own), theirs: comparable(other) };
  }

  #both(method: string, params: readonly unknown[] = []): Promise<readonly [ours: Answer, theirs: Answer]> {
    return Promise.all([answerOf(this.ours, 'this node', { method, params }), answerOf(this.theirs, 'defid', { method, params })]);
  }
}

async function answerOf(client: NodeClient, name: string, call: Call): Promise<Answer> {
  try {
    return await client.call(call.method, call.params);
  } catch (error) {
    throw new Error(`${name} gives no answer to ${textOf(call).slice(0, SHOWN)}`, { cause: error });
  }
}

async function postTo(client: NodeClient, name: string, body: Uint8Array): Promise<Answer> {
  try {
    return await client.post(body);
  } catch (error) {
    throw new Error(`${name} gives no answer to ${Buffer.from(body).toString('latin1').slice(0, SHOWN)}`, { cause: error });
  }
}

/** Arguments by position of the call in a body; its text if it has none, or is no call. */
function paramsIn(bytes: Uint8Array): readonly unknown[] {
  const text = Buffer.from(bytes).toString('latin1');
  const { params } = (parsed(text) ?? {}) as { readonly params?: unknown };
  return Array.isArray(params) ? params : [text];
}

/** The exchanges of a batch whose answers both nodes gave; undefined if it is none. */
function itemsOf({ body, ours, theirs }: Exchange): readonly Exchange[] | undefined {
  if (!body) return undefined;
  const [calls, own, other] = [Buffer.from(body).toString('latin1'), ours.slice(STATUS), theirs.slice(STATUS)].map(parsed);
  if (!Array.isArray(calls) || !Array.isArray(own) || !Array.isArray(other) || own.length !== other.length) return undefined;
  return (calls as readonly unknown[]).map((call, i) => {
    const { method, params } = (call ?? {}) as { readonly method?: unknown; readonly params?: unknown };
    const [ownText, otherText] = [own[i], other[i]].map((answer) => `200 ${JSON.stringify(answer)}`) as [string, string];
    return { method: String(method), params: Array.isArray(params) ? params : [], body, ours: ownText, theirs: otherText };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The next call that may be made. */
function nextCall(maker: CallMaker): Call {
  let call = maker.next();
  while (isLeftOut(call)) call = maker.next();
  return call;
}

/** Names of the arguments of an operation as `defid` has them. */
function namesIn(operation: Operation | undefined): readonly string[] {
  return (operation?.signatures[0]?.positions ?? []).map((position) =>
    position.kind === 'param' ? position.param.name : (position.name ?? ''),
  );
}

function comparable({ status, text }: Answer): string {
  return `${status} ${text.replace(VARYING, '"$1":0')}`;
}

export function textOf({ method, params }: Call): string {
  return `${method} ${JSON.stringify(params)}`;
}

/** A call as JSON, or the body with it. */
function shownOf(exchange: Exchange): string {
  return exchange.body ? `${exchange.method}: ${Buffer.from(exchange.body).toString('latin1')}` : textOf(exchange);
}

/** A line with the counts of an outcome, then each kind of difference with its first example. */
export function report({ recording, seed }: Comparison, { same, accepted, different }: Outcome): string {
  const known = [...accepted].map(([reason, count]) => `\n  ${count} accepted: ${reason}`);
  const head = `${basename(recording)}, seed ${seed}: ${same} the same, ${different.length} different${known.join('')}`;
  const kinds = new Map<string, Exchange[]>();
  for (const exchange of different) {
    const kind = kindOf(exchange);
    kinds.set(kind, [...(kinds.get(kind) ?? []), exchange]);
  }
  return [head, ...[...kinds.values()].sort((a, b) => b.length - a.length).map(example)].join('\n');
}

/** Text that is the same for differences with most likely one cause: the operation and both answers without values. */
function kindOf({ method, ours, theirs }: Exchange): string {
  const [own, other] = [ours, theirs].map((text) =>
    text
      .replace(/\{"result":(?!null).*/s, 'a result')
      .replace(/[0-9a-f]{20,}|\d+/g, '0')
      .slice(0, 120),
  );
  return `${method} ${own} ${other}`;
}

function example([first, ...others]: readonly Exchange[]): string {
  if (!first) return '';
  const { ours, theirs } = first;
  const from = Math.max(0, [...ours].findIndex((letter, i) => letter !== theirs[i]) - 60);
  const part = (text: string) =>
    text
      .trimEnd()
      .slice(from, from + SHOWN)
      .replaceAll('\n', '\\n');
  return `${others.length + 1} times: ${shownOf(first).slice(0, SHOWN)}\n  here:  ${part(ours)}\n  defid: ${part(theirs)}`;
}
