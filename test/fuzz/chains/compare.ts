import { setTimeout } from 'node:timers/promises';
import type { Upgrade } from '../../../src/params/upgrades.js';
import { writeRecording } from '../../shared.js';
import type { DefidVersion } from '../calls/defid.js';
import type { Question } from '../calls/node-client.js';
import { Random } from '../mutate.js';
import { difference, statesOf } from './answers.js';
import { Attacks } from './attacks.js';
import { Draw } from './draw.js';
import { contractCalls, type EvmValues, evmQuestions, evmStateQuestions, evmValues, newContracts } from './ethereum.js';
import type { Focus } from './focus.js';
import { type Operation, randomOperation } from './operations.js';
import { ChainPair, KEYS, NO_BLOCK } from './pair.js';
import { readings } from './readings.js';
import { isRefusal, Report, reasonOf } from './report.js';
import { HISTORIES, STATE_QUESTIONS } from './state-questions.js';
import { type WorldValues, worldValues } from './world-values.js';

const MAX_OPERATIONS = 14;
const MAX_ADVANCE_SEC = 120;
const MAX_DEPTH = 5;
/** Blocks that are disconnected and connected again, at most. */
const MAX_RETURN_DEPTH = 25;
/** Wrong messages that follow an operation in a hostile run, if any do. */
const MAX_HOSTILE_MESSAGES = 20;
/** Wrong blocks that are tried at one height at most, by default and in a hostile run. */
const [MAX_VARIANTS, MAX_HOSTILE_VARIANTS] = [16, 40];
const MAX_CONTRACTS = 12;
/** Orders, and offers, that are asked about after each block. */
const MAX_ORDERS = 8;
/** Time until the end of a process is seen, which may write its memory first. */
const ENDING_MS = 5_000;
export interface ChainComparison {
  readonly version: DefidVersion;
  readonly blocks: number;
  readonly seed: number;
  /** First upgrade that becomes active only during the run, with those after it; by default all are from height 1. */
  readonly from?: Upgrade | undefined;
  /** Part of the rules that most operations concern; by default all of them. */
  readonly focus?: Focus | undefined;
  /** True for more wrong blocks: several before each block. */
  readonly isHostile?: boolean | undefined;
  /** Path to which the chain is written as a recording. */
  readonly save?: string | undefined;
}

export interface ChainOutcome {
  readonly report: Report;
  /** True if `defid` ended during the run or could not disconnect a block, or neither node could make one. */
  readonly ended: boolean;
  /** The difference in a transaction, a block or the state that ended the run; undefined if there was none. */
  readonly difference: string | undefined;
}

/**
 * Makes random operations on our node and on a `defid` with the same chain, in blocks that either of them mints, and compares their states
 * after every block.
 * @param defid path of the program
 */
export async function compareChains(defid: string, comparison: ChainComparison): Promise<ChainOutcome> {
  const { seed, focus, isHostile = false } = comparison;
  const { version, from, fromHeight } = { ...comparison, ...focus };
  const pair = await ChainPair.of(defid, version, { from, fromHeight, mintsAsOnMain: seed % 2 === 1 });
  try {
    await pair.start();
    // `defid` 4.2.5 ends when some blocks with an EVM are disconnected, and 3.2.8 does not restore the state before some upgrades.
    const bothRewind = focus?.bothRewind ?? (version === '3.2.8' && from === undefined);
    await pair.govern(focus?.attributes ?? []);
    const run = new Run(pair, new Random(seed), { bothRewind, isHostile, focus });
    const difference = await run.blocks(comparison.blocks);
    if (comparison.save !== undefined) writeRecording(comparison.save, await pair.recording(`random chain ${seed}`));
    return { report: run.report, ended: run.ended, difference };
  } finally {
    await pair.stop();
  }
}

interface RunOptions {
  /** True if `defid` can disconnect blocks. */
  readonly bothRewind: boolean;
  /** True for more wrong blocks. */
  readonly isHostile: boolean;
  readonly focus: Focus | undefined;
}

class Run {
  readonly report = new Report();
  /** True if `defid` has ended or could not disconnect a block, or neither node can make one: the run ends without a difference. */
  ended = false;
  readonly #attacks: Attacks;
  readonly #stateQuestions: readonly Question[];
  /** First answers of our node about the state, by the hash of its tip. */
  readonly #states = new Map<string, readonly string[]>();
  /** True after the first disconnection of blocks: mempools and wallets of both programs no longer regard the same transactions then. */
  #isRewound = false;
  /** True after `defid` 4.2.5 refused a block. */
  #hasStrayHistory = false;
  /** Questions about traces that were asked. */
  readonly #traced = new Set<string>();
  /** Orders and offers of ICX that were open once. */
  readonly #orders = new Set<string>();
  readonly #offers = new Set<string>();
  /** Random values of the chain before its newest block. */
  #draw: Draw | undefined;
  /** Newest contracts of the EVM. */
  #contracts: readonly bigint[] = [];

  constructor(
    private readonly pair: ChainPair,
    private readonly random: Random,
    private readonly options: RunOptions,
  ) {
    this.#attacks = new Attacks(pair, random, this.report, options.isHostile ? MAX_HOSTILE_VARIANTS : MAX_VARIANTS);
    this.#stateQuestions = pair.hasEvm ? [...STATE_QUESTIONS, ['listloantokenliquidity'], ...evmStateQuestions(KEYS)] : STATE_QUESTIONS;
  }

  /** @returns the first difference */
  async blocks(count: number): Promise<string | undefined> {
    for (let made = 0; made < count; made++) {
      const difference = await this.#idle()
        .then((found) => found ?? this.#step())
        .catch((error) => this.#failure(error));
      if (difference) return `${difference}\n  after ${this.report.recent.join('\n  ')}`;
      if (this.ended) return undefined;
    }
    const difference = this.options.bothRewind ? await this.#return().catch((error) => this.#failure(error)) : undefined;
    return difference && `${difference}\n  after ${this.report.recent.join('\n  ')}`;
  }

  /** Sometimes makes blocks without operations, if the focus asks for them. */
  async #idle(): Promise<string | undefined> {
    const { pair, random } = this;
    const { focus } = this.options;
    if (!focus?.idleBlocks || random.below(4) > 0) return undefined;
    for (let left = 1 + random.below(focus.idleBlocks); left > 0; left--) {
      await pair.advance(pair.time + 1 + random.below(MAX_ADVANCE_SEC));
      const difference = await this.#mint();
      if (difference !== undefined || this.ended) return difference;
    }
    return this.#state();
  }

  /** Makes a block, and sometimes disconnects some. @returns the first difference */
  async #step(): Promise<string | undefined> {
    const difference = await this.#block();
    if (difference !== undefined || this.ended || this.random.below(18) > 0) return difference;
    if (!this.options.bothRewind) return this.#rewindOurs();
    return this.random.below(4) === 0 ? this.#return() : this.#rewind();
  }

  /** Last operation, disconnection or question. */
  get #where(): string {
    return this.report.recent.findLast((text) => !text.startsWith(' ')) ?? '';
  }

  /** @returns a text if our node has ended @throws {Error} if both nodes run */
  async #failure(error: unknown): Promise<string | undefined> {
    await setTimeout(ENDING_MS);
    const { ended } = this.pair;
    if (ended === undefined) throw error;
    this.ended = ended === 'defid';
    if (this.ended) this.report.leave(`defid ended after ${this.#where}: ${String(error)}`);
    return this.ended ? undefined : `${ended} has ended`;
  }

  /** Sometimes gives both nodes a wrong message, or several in a hostile run. @returns the first difference */
  async #messages(): Promise<string | undefined> {
    const count = this.options.isHostile ? MAX_HOSTILE_MESSAGES : 1;
    for (let left = this.random.below(3) === 0 ? count : 0; left > 0; left--) {
      const difference = await this.#attacks.message(this.#isRewound);
      if (difference) return difference;
    }
    return undefined;
  }

  /** Makes a few operations and a block. @returns the first difference */
  async #block(): Promise<string | undefined> {
    const { pair, random } = this;
    const { focus } = this.options;
    this.report.recent.length = 0;
    const values = await worldValues(pair.ours);
    this.#note(values);
    const releasesTokens = pair.releasesTokens(values.height + 1);
    const draw = new Draw(random, {
      values,
      keys: KEYS,
      evm: await this.#evmValues(),
      time: pair.time,
      releasesTokens,
      governs: focus?.governs,
    });
    this.#draw = draw;
    for (let left = 1 + random.below(MAX_OPERATIONS); left > 0; left--) {
      const difference = (await this.#make(randomOperation(draw, focus?.weights))) ?? (await this.#messages());
      if (difference) return difference;
    }
    await pair.advance(pair.time + 1 + random.below(MAX_ADVANCE_SEC));
    const difference = !this.options.isHostile && random.below(3) > 0 ? await this.#mint() : await this.#attack();
    await this.#attacks.noteTip();
    return difference ?? this.#state();
  }

  /** Gives both nodes wrong blocks, and then the right one if they refuse those. */
  async #attack(): Promise<string | undefined> {
    const { pair } = this;
    const proposal = await pair.propose();
    if (!proposal) return this.#mint();
    const accepted = await this.#attacks.blocks(proposal);
    this.#hasStrayHistory ||= pair.hasEvm;
    if (typeof accepted === 'string') return accepted;
    return accepted ? undefined : pair.accept(proposal);
  }

  async #mint(): Promise<string | undefined> {
    const { pair, random } = this;
    const author = random.pick(pair.nodes);
    const minters = random.below(2) === 0 ? (this.#draw?.values.minters ?? []) : [];
    const operator = minters.length > 0 ? random.pick(minters) : undefined;
    const difference = await pair.mint(author, operator);
    if (difference !== NO_BLOCK) return difference;
    const name = author === pair.ours ? 'this node' : 'defid';
    // The masternode may have been resigned or moved in the block before.
    if (operator !== undefined) {
      this.report.leave(`${name} makes no block of another masternode`);
      const usual = await pair.mint(author);
      if (usual !== NO_BLOCK) return usual;
    }
    this.report.leave(`${name} makes no block`);
    const second = await pair.mint(author === pair.ours ? pair.theirs : pair.ours);
    if (second !== NO_BLOCK) return second;
    // Governance may set what makes blocks impossible, as a wrong message can.
    this.ended = true;
    return undefined;
  }

  /** Gives each node the transactions of the other. A wallet may submit old ones again that the other node refuses by now. */
  async #relay(): Promise<void> {
    const { ours, theirs } = this.pair;
    for (const [from, to] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      const refusal = await this.pair.relay(from, to);
      if (refusal !== undefined) this.report.leave(`${to === ours ? 'here' : 'by defid'}: ${reasonOf(refusal)}`);
    }
  }

  /** Makes an operation on one node, and gives its transactions, or an operation that it refuses, to the other. */
  async #make(operation: Operation): Promise<string | undefined> {
    const { pair, random } = this;
    const { method, params } = operation;
    // The nonces that the wallet of `defid` chooses do not regard transactions of others.
    const author = method === 'transferdomain' ? pair.ours : random.pick(pair.nodes);
    const other = author === pair.ours ? pair.theirs : pair.ours;
    const shown = `${author === pair.ours ? 'ours' : 'defid'}: ${method} ${JSON.stringify(params)}`;
    this.report.recent.push(shown);
    const { text } = await author.call(method, params);
    this.report.recent.push(`  ${text.trim().slice(0, 300)}`);
    if (!isRefusal(text)) {
      this.report.accept(method);
      await this.#relay();
      return undefined;
    }
    const second = await other.call(method, params);
    if (second.text === text) this.report.refuse(`${method} ${reasonOf(text)}`);
    else if (this.#isRewound) this.report.leave(`after blocks were disconnected: ${method} ${reasonOf(text)}`);
    else if (isRefusal(second.text)) this.report.texts.push(`${shown}\n  ${text.trim()}\n  ${second.text.trim()}`);
    else {
      const refusal = await pair.relay(other, author);
      return `${shown} is refused by one node: ${text.trim()}; its transaction: ${refusal ?? 'accepted'}`;
    }
    return undefined;
  }

  /** Compares the states of both nodes, and that of ours with what it was when its tip was connected first. @returns the first difference */
  async #state(): Promise<string | undefined> {
    const { ours, theirs } = this.pair;
    if (this.pair.convertsInterest(Number(await ours.result('getblockcount')))) return undefined;
    const questions = await this.#questions();
    const [own, other] = await Promise.all([statesOf(ours, questions), statesOf(theirs, questions)]);
    return (await this.#undone(own.slice(0, this.#stateQuestions.length))) ?? this.#firstDifference(questions, own, other, 'defid');
  }

  /** Notes the orders and offers of ICX, about which it is asked when they are closed, too. */
  #note({ orders, offers }: WorldValues): void {
    for (const order of orders) this.#orders.add(order);
    for (const { id } of offers) this.#offers.add(id);
  }

  #exchangeQuestions(): readonly Question[] {
    if (this.#offers.size === 0) return [];
    const [orders, offers] = [[...this.#orders].slice(-MAX_ORDERS), [...this.#offers].slice(-MAX_ORDERS)];
    return [
      ['icx_listorders', { closed: true }],
      ...orders.flatMap((orderTx) => [{ orderTx }, { orderTx, closed: true }].map((by) => ['icx_listorders', by] as const)),
      ...offers.flatMap((offerTx) => [{ offerTx }, { offerTx, closed: true }].map((by) => ['icx_listhtlcs', by] as const)),
      ...[...orders, ...offers].map((id) => ['icx_getorder', id] as const),
    ];
  }

  async #questions(): Promise<readonly Question[]> {
    const { ours, hasEvm } = this.pair;
    const asked = hasEvm ? await evmQuestions(ours, this.#contracts) : [];
    const calls = contractCalls(this.random, KEYS, this.#contracts);
    return [
      ...this.#stateQuestions,
      ...this.#exchangeQuestions(),
      ...(await this.#readings()),
      ...calls,
      ...asked.filter((question) => !this.#isTracedAgain(question)),
    ];
  }

  async #readings(): Promise<readonly Question[]> {
    const { ours } = this.pair;
    if (!this.#draw) return [];
    const { tx } = (await ours.result('getblock', [await ours.result('getbestblockhash')])) as { readonly tx: readonly string[] };
    return readings(this.#draw, tx, this.#isRewound);
  }

  /** `defid` keeps traces by hash, and new names of a token may have the same one in several blocks. */
  #isTracedAgain(question: Question): boolean {
    if (question[0] !== 'debug_traceTransaction') return false;
    const name = JSON.stringify(question);
    const isKnown = this.#traced.has(name);
    this.#traced.add(name);
    return isKnown;
  }

  /** Values of the EVM after its newest block; undefined without one. */
  async #evmValues(): Promise<EvmValues | undefined> {
    const { ours, hasEvm } = this.pair;
    if (!hasEvm) return undefined;
    this.#contracts = [...this.#contracts, ...(await newContracts(ours))].slice(-MAX_CONTRACTS);
    return evmValues(ours, KEYS, this.#contracts);
  }

  /** Compares the state of our node with that which its tip had at first. */
  async #undone(known?: readonly string[]): Promise<string | undefined> {
    const own = known ?? (await statesOf(this.pair.ours, this.#stateQuestions));
    const tip = String(await this.pair.ours.result('getbestblockhash'));
    const first = this.#states.get(tip);
    this.#states.set(tip, own);
    return first && this.#firstDifference(this.#stateQuestions, own, first, 'before');
  }

  async #firstDifference(
    questions: readonly Question[],
    own: readonly string[],
    other: readonly string[],
    name: string,
  ): Promise<string | undefined> {
    const at = questions.findIndex(([method], i) => {
      // A reorganisation or a failed split has removed a token: `defid` 3.2.8 shows what its memory happens to contain.
      const isStray = name === 'defid' && HISTORIES.has(method) && (this.#hasStrayHistory || own[i]?.includes('""'));
      return own[i] !== other[i] && !isStray;
    });
    if (at < 0) return undefined;
    const height = await this.pair.ours.result('getblockcount');
    return `${JSON.stringify(questions[at])} differs at height ${height}:\n${difference(String(own[at]), String(other[at]), name)}`;
  }

  /** Disconnects the newest blocks; their transactions return to the mempools. */
  async #rewind(): Promise<string | undefined> {
    return this.#disconnect(await this.#hashBelowTip());
  }

  /** Disconnects a block of both nodes and those above it. */
  async #disconnect(hash: unknown): Promise<string | undefined> {
    const { pair } = this;
    await pair.both('invalidateblock', [hash]);
    this.#isRewound = true;
    const [own, other] = await pair.both('getbestblockhash');
    if (own.text === other.text) return this.#state();
    // `defid` cannot disconnect some blocks, and its state is not that of its tip then.
    this.report.leave('blocks that defid cannot disconnect');
    this.ended = true;
    return this.#undone();
  }

  /** Disconnects many of the newest blocks, and connects them again. */
  async #return(): Promise<string | undefined> {
    const { pair } = this;
    const [tip, hash] = [await pair.ours.result('getbestblockhash'), await this.#hashBelowTip(MAX_RETURN_DEPTH)];
    const difference = await this.#disconnect(hash);
    if (difference !== undefined || this.ended) return difference;
    await pair.both('reconsiderblock', [hash]);
    await pair.both('preciousblock', [tip]);
    const [own, other] = await pair.both('getbestblockhash');
    if (own.text !== other.text || !own.text.includes(String(tip)))
      return `disconnected blocks do not connect again: the tips are ${own.text.trim()} and ${other.text.trim()}, not ${tip}`;
    return this.#state();
  }

  /** Disconnects the newest blocks of our node, and connects them again. */
  async #rewindOurs(): Promise<string | undefined> {
    const { ours } = this.pair;
    const [tip, hash] = [await ours.result('getbestblockhash'), await this.#hashBelowTip()];
    await ours.call('invalidateblock', [hash]);
    const difference = await this.#undone();
    if (difference !== undefined) return difference;
    await ours.call('reconsiderblock', [hash]);
    // A block that was disconnected for a wrong one is valid again, too, and as good as that one.
    await ours.call('preciousblock', [tip]);
    const again = await ours.result('getbestblockhash');
    return again === tip ? this.#undone() : `disconnected blocks do not connect again: the tip is ${again}, not ${tip}`;
  }

  /** Hash of a block among the newest. */
  async #hashBelowTip(most = MAX_DEPTH): Promise<unknown> {
    const { ours } = this.pair;
    const depth = this.random.below(most);
    this.report.recent.push(`blocks are disconnected: ${depth + 1}`);
    this.report.accept('disconnection of blocks');
    return ours.result('getblockhash', [Number(await ours.result('getblockcount')) - depth]);
  }
}
