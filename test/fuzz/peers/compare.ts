import { ByteReader } from '../../../src/primitives/codec.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { Daemon, freePort } from '../../daemon.js';
import { type RecordedBlock, readRecording } from '../../shared.js';
import { hasEvm } from '../calls/compare.js';
import { DefidDaemon, ethereumPorts, NodeClient } from '../calls/node-client.js';
import { HostileBlocks } from '../chains/hostile-blocks.js';
import { OPERATOR_KEY } from '../chains/pair.js';
import { Payloads } from '../chains/payloads.js';
import { Random } from '../mutate.js';
import { MessageMaker, type SentMessage } from './messages.js';
import { codecs, PeerClient, params, type Reaction } from './peer-client.js';

/** Messages of one connection. */
const MAX_MESSAGES = 25;
/** Blocks that the nodes learn from their peer. */
const WITHHELD = 40;
/** Messages whose time or content the node chooses by chance. */
const BY_CHANCE = new Set(['addr', 'feefilter', 'getaddr', 'ping', 'version']);
/** Messages of which our node decodes only what it has a use for: it may not notice that one is malformed. */
const UNDECODED = new Set(['block', 'blocktxn']);
const MALFORMED = Buffer.from('error parsing message').toString('hex');
/** Members of a peer that depend on its messages alone. */
const PEER_MEMBERS = ['services', 'relaytxes', 'version', 'subver', 'startingheight', 'banscore', 'synced_headers', 'synced_blocks'];

/** Comparable forms of answers. */
const FORMS: Readonly<Record<string, (text: string) => string>> = { getpeerinfo: peersText, getchaintips: tipsText };

export interface PeerComparison {
  readonly recording: string;
  /** Number of messages. */
  readonly count: number;
  readonly seed: number;
}

export interface PeerOutcome {
  /** Number of messages by name, with what they had in common on both nodes. */
  readonly counts: ReadonlyMap<string, number>;
  readonly different: readonly string[];
}

/**
 * Sends the same random messages to our daemon and to a `defid`, and compares what they answer, what they know of their peer, their chains
 * and their mempools.
 * @param defid path of the program
 */
export async function comparePeers(defid: string, comparison: PeerComparison): Promise<PeerOutcome> {
  const recording = readRecording(comparison.recording);
  const blocks = recording.steps.filter((step): step is RecordedBlock => 'hex' in step);
  const port = await freePort();
  const otherPort = await freePort();
  const flags = [
    ...recording.header.flags,
    '-peerbloomfilters=1',
    '-listen=1',
    '-bind=127.0.0.1',
    '-connect=0',
    '-dnsseed=0',
    '-listenonion=0',
  ];
  const own = async () => (hasEvm(recording) ? (await ethereumPorts()).flags : ['-enablebip61=1']);
  const ours = new Daemon([...flags, ...(await own()), `-port=${port}`, '-rpcstrict']);
  const theirs = new DefidDaemon(defid, [...flags, ...(await own()), `-port=${otherPort}`]);
  try {
    await Promise.all([ours.start(), theirs.start()]);
    const nodes = [new NodeClient(ours.rpcPort), new NodeClient(theirs.rpcPort)] as const;
    const run = new Run(nodes, [port, otherPort], blocks, new Random(comparison.seed));
    await run.play();
    await run.messages(comparison.count);
    for (const node of nodes) node.close();
    return run;
  } finally {
    await ours.destroy();
    theirs.destroy();
  }
}

class Run implements PeerOutcome {
  readonly counts = new Map<string, number>();
  readonly different: string[] = [];
  readonly #maker: MessageMaker;
  readonly #known: number;

  constructor(
    private readonly nodes: readonly [ours: NodeClient, theirs: NodeClient],
    private readonly ports: readonly [ours: number, theirs: number],
    private readonly blocks: readonly RecordedBlock[],
    private readonly random: Random,
  ) {
    const payloads = new Payloads(random);
    const hostile = new HostileBlocks({ params, key: OPERATOR_KEY, payloads, sign: async (hex) => hex }, random);
    const time = blocks.at(-1)?.time ?? 0;
    this.#maker = new MessageMaker({ blocks: blocks.map(({ hex }) => fromHex(hex)), hostile, time }, random);
    this.#known = Math.max(1, blocks.length - WITHHELD);
  }

  /** Gives both nodes the first blocks. */
  async play(): Promise<void> {
    for (const { time, hex } of this.blocks.slice(0, this.#known)) {
      await this.#both('setmocktime', [time]);
      await this.#both('submitblock', [hex]);
    }
    await this.#both('setmocktime', [this.blocks.at(-1)?.time]);
    this.#maker.known = Number(await this.nodes[0].result('getblockcount'));
  }

  async messages(count: number): Promise<void> {
    for (let left = count; left > 0 && this.different.length < 10; ) {
      const length = Math.min(left, 1 + this.random.below(MAX_MESSAGES));
      await this.#session(length);
      left -= length;
    }
  }

  #both(method: string, params: readonly unknown[] = []) {
    return Promise.all(this.nodes.map(async (node) => (await node.call(method, params)).text));
  }

  /** One connection to each node. Ends after a difference. */
  async #session(length: number): Promise<void> {
    const peers = this.ports.map((port) => new PeerClient(port));
    const sent: string[] = [];
    try {
      if (!(await this.#opening(peers, sent))) return;
      for (let left = length; left > 0 && peers.every((peer) => peer.isOpen); left--) {
        const message = await this.#maker.next();
        sent.push(message.shown);
        const difference = (await this.#send(peers, message)) ?? (await this.#states());
        if (difference) {
          this.different.push(`${difference}\n  after ${sent.join('\n  ')}`);
          return;
        }
      }
    } finally {
      for (const peer of peers) peer.close();
      await this.#gone();
    }
  }

  /** @returns false if the connection ended */
  async #opening(peers: readonly PeerClient[], sent: string[]): Promise<boolean> {
    const { random } = this;
    if (random.below(8) === 0) {
      const message = await this.#maker.next();
      sent.push(message.shown);
      for (const peer of peers) await peer.send([message.frame]);
      const open = peers.map((peer) => peer.isOpen);
      if (open[0] !== open[1]) this.different.push(`connection before version: ${open}\n  ${sent.join('\n  ')}`);
      return false;
    }
    const changes = random.below(4) === 0 ? this.#versionChange() : {};
    const version = this.#maker.version(changes);
    sent.push(version.shown);
    const reactions = await Promise.all(peers.map((peer) => peer.sendUntil([version.frame], 'verack')));
    if (reactions[0]?.end !== reactions[1]?.end) this.different.push(`version: ${reactions.map(({ end }) => end)}\n  ${sent.join('\n  ')}`);
    if (reactions.some(({ end }) => end !== 'answered')) return false;
    const difference = await this.#send(peers, this.#maker.verack());
    if (difference) this.different.push(`${difference}\n  after ${sent.join('\n  ')}`);
    return difference === undefined;
  }

  #versionChange() {
    const { random } = this;
    return random.pick([
      { version: random.pick([0, 209, 60_000, 70_001, 70_014, 70_015, 70_022, 70_023, 70_039, -1]) },
      { services: random.pick([0n, 1n, 4n, 8n, 0x409n, 2n ** 63n]) },
      { relay: false },
      { startHeight: random.pick([-1, 0, 2 ** 31 - 1]) },
      { userAgent: 'x'.repeat(random.pick([0, 256, 257])) },
    ]);
  }

  async #send(peers: readonly PeerClient[], { frame, command }: SentMessage): Promise<string | undefined> {
    const [own, other] = await Promise.all(peers.map((peer, i) => this.#reaction(peer, this.nodes[i] as NodeClient, frame)));
    const [a, b] = [comparable(own as Reaction, command), comparable(other as Reaction, command)];
    if (a !== b) return `${command}: ours\n${a}\ndefid\n${b}`;
    const name = `${command}: ${a.replace(/ [0-9a-f]+/g, '').replaceAll('\n', ', ')}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    return undefined;
  }

  /** Sends a frame. @returns the answers, with those that follow when another thread of `defid` has noticed a new block */
  async #reaction(peer: PeerClient, node: NodeClient, frame: Uint8Array): Promise<Reaction> {
    const first = await peer.send([frame]);
    if (first.end !== 'answered') return first;
    await node.call('syncwithvalidationinterfacequeue');
    const second = await peer.send([]);
    return { answers: [...first.answers, ...second.answers], end: second.end };
  }

  /** @returns a difference in the chains, the mempools or what the nodes know of their peer */
  async #states(): Promise<string | undefined> {
    for (const method of ['getbestblockhash', 'getchaintips', 'getpeerinfo']) {
      const texts = (await this.#both(method)).map((text) => FORMS[method]?.(text) ?? text);
      if (texts[0] !== texts[1]) return `${method}: ours ${texts[0]}\ndefid ${texts[1]}`;
    }
    const pools = await Promise.all(this.nodes.map(async (node) => ((await node.result('getrawmempool')) as string[]).sort().join()));
    if (pools[0] !== pools[1]) return `mempools: ours ${pools[0]}\ndefid ${pools[1]}`;
    const tip = String(await this.nodes[0].result('getbestblockhash'));
    // The blocks that follow need their own parent.
    if (!this.#maker.isRecorded(tip)) await this.#both('invalidateblock', [tip]);
    this.#maker.known = Number(await this.nodes[0].result('getblockcount'));
    return undefined;
  }

  /** Waits until both nodes have noticed the end of the connection. */
  async #gone(): Promise<void> {
    for (const node of this.nodes) {
      while (Number(await node.result('getconnectioncount')) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** The tips of one height are in the order of the memory of `defid`. */
function tipsText(text: string): string {
  return (JSON.parse(text) as { readonly result: readonly object[] }).result
    .map((tip) => JSON.stringify(tip))
    .sort()
    .join('\n');
}

function peersText(text: string): string {
  const { result } = JSON.parse(text) as { readonly result: readonly Record<string, unknown>[] };
  return JSON.stringify(result.map((peer) => [...PEER_MEMBERS.map((name) => [name, peer[name]]), peer.inflight, peer.minfeefilter]));
}

/** Answers that both nodes must give to a message, one to a line. */
function comparable({ answers, end }: Reaction, to: string): string {
  const isOwnChoice = ([command, payload]: Reaction['answers'][number]) =>
    BY_CHANCE.has(command) || (to === 'block' && command === 'getheaders') || (UNDECODED.has(to) && payload.includes(MALFORMED));
  const lines = answers
    .filter((answer) => !isOwnChoice(answer))
    // The best header of `defid` may be that of a block that was found invalid.
    .map(([command, payload]) => (to === 'verack' && command === 'getheaders' ? command : `${command} ${withoutChance(command, payload)}`));
  // `defid` sends some requests earlier, and some of them twice.
  return [...(to === 'inv' ? [...new Set(lines.join('\n').split('\n'))].sort() : lines), end].join('\n');
}

/** A payload without what the node chooses by chance, or does not have to choose. */
function withoutChance(command: string, payload: string): string {
  // `defid` requests each anchor message by itself.
  if (command === 'getdata')
    return codecs.getdata
      .read(new ByteReader(fromHex(payload)))
      .map(({ type, hash }) => `${type} ${toHex(hash)}`)
      .join('\ngetdata ');
  if (command !== 'cmpctblock') return payload;
  const { header, shortIds, prefilled } = codecs.cmpctblock.read(new ByteReader(fromHex(payload)));
  return `${header.height} ${shortIds.length} ${prefilled.map(({ index, tx }) => `${index}:${tx.raw.length}`)}`;
}
