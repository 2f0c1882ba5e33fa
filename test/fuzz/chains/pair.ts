import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { formatWif, type PrivateKey, parseWif } from '../../../src/crypto/keys.js';
import { devAccounts } from '../../../src/devnet/accounts.js';
import { makeWorld } from '../../../src/devnet/world/world.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { heightsOfFlags } from '../../../src/params/upgrade-heights.js';
import type { Upgrade } from '../../../src/params/upgrades.js';
import { evmAddressOf, formatErc55 } from '../../../src/script/erc55.js';
import { Daemon } from '../../daemon.js';
import { FOUNDER, OPERATOR } from '../../regtest.js';
import type { RecordedBlock, Recording } from '../../shared.js';
import type { DefidVersion } from '../calls/defid.js';
import { type Answer, DefidDaemon, type EthereumPorts, ethereumPorts, NodeClient } from '../calls/node-client.js';
import type { KeyAddresses } from './draw.js';
import { heightIn, upgradeFlags } from './stages.js';

export const params = networkParams({ network: 'regtest', jellyfish: true, allUpgrades: true });
const FLAGS = ['-jellyfish_regtest=1', '-txnotokens=0', '-txindex', '-acindex', '-fallbackfee=0.0002'];
/** Operators whose keys both wallets have; masternodes of the run may have the others. */
const OPERATORS = [OPERATOR.address, ...params.masternode.genesis.slice(1, 2).map(({ operatorAddress }) => operatorAddress)];
const MINT_AS_ON_MAIN = '-regtest-minttoken-simulate-mainnet=1';
/** Operations of the script of the world that both nodes need. */
const SHARED = new Set(['setmocktime', 'importprivkey']);
/** Seed of both wallets, so that each knows the addresses of change of the other. */
const SEED = formatWif({ secret: new Uint8Array(32).fill(7), compressed: true }, params.address);

const SCHEDULES = {
  'v0/params/dfip2203/reward_pct': '0.05',
  'v0/params/dfip2203/block_period': '20',
  'v0/params/dfip2206f/reward_pct': '0.05',
  'v0/params/dfip2206f/block_period': '20',
};
const SWITCHES = {
  'v0/params/dfip2203/active': 'true',
  'v0/params/dfip2206f/active': 'true',
  'v0/params/feature/gov-payout': 'true',
  'v0/gov/proposals/voting_period': '5',
  'v0/gov/proposals/quorum': '0.2',
  'v0/params/feature/mn-setowneraddress': 'true',
  'v0/params/feature/mn-setoperatoraddress': 'true',
  'v0/params/feature/mn-setrewardaddress': 'true',
};

const INTEREST_UPGRADES = ['fortCanningHill', 'fortCanningGreatWorld'] as const;

/** Result of `mint` if the node cannot make a block of its mempool. */
export const NO_BLOCK = 'no block';
/** Seconds after which there must have been a stake for a block. */
const MAX_TRIES = 60;

/** Keys that both wallets have; the first is that of a member of the foundation. */
export const KEYS: readonly KeyAddresses[] = [keyAddresses(FOUNDER), ...devAccounts(params).map(keyAddresses)];

/** Key of the operator that mints on both nodes. */
export const OPERATOR_KEY: PrivateKey = parseWif(OPERATOR.key, params.address) as PrivateKey;

function keyAddresses({ address: native, key }: { readonly address: string; readonly key: string }): KeyAddresses {
  const parsed = parseWif(key, params.address);
  const evm = parsed && evmAddressOf(publicKeyOf(parsed.secret, parsed.compressed));
  if (!evm) throw new RangeError('no key');
  return { native, evm: formatErc55(evm), secret: parsed.secret };
}

export interface PairOptions {
  /** First upgrade that is postponed; by default none is. */
  readonly from?: Upgrade | undefined;
  /** Height of that upgrade. */
  readonly fromHeight?: number | undefined;
  /** True if tokens are minted by the rules of the main network, which know consortiums. */
  readonly mintsAsOnMain?: boolean;
}

/** A block that only our node knows. */
export interface Proposal {
  readonly hash: string;
  readonly hex: string;
}

/** A node whose Ethereum port answers the methods of Ethereum. */
class ChainNode extends NodeClient {
  readonly #ethereum: NodeClient;

  constructor(port: number, ethereumPort: number) {
    super(port);
    this.#ethereum = new NodeClient(ethereumPort, { jsonrpc: '2.0' });
  }

  override call(method: string, params: readonly unknown[] = []): Promise<Answer> {
    return /^(eth|debug)_/.test(method) ? this.#ethereum.call(method, params) : super.call(method, params);
  }

  override close(): void {
    super.close();
    this.#ethereum.close();
  }
}

/** Our node and a `defid` with the same chain and keys. They are not connected: transactions and blocks are handed over by calls. */
export class ChainPair {
  readonly #daemon: Daemon;
  readonly #reference: DefidDaemon;
  readonly #flags: readonly string[];
  ours: NodeClient = new NodeClient(0);
  theirs: NodeClient = new NodeClient(0);
  #hasSeed = false;
  /** Mock time of both, seconds since 1970. */
  time = 0;

  private constructor(
    daemon: Daemon,
    reference: DefidDaemon,
    flags: readonly string[],
    private readonly ethereum: readonly [ours: EthereumPorts, theirs: EthereumPorts] | undefined,
    /** True if some upgrades are postponed: the world lacks what needs them. */
    private readonly isStaged: boolean,
  ) {
    this.#daemon = daemon;
    this.#reference = reference;
    this.#flags = flags;
  }

  /** @param defid path of the program */
  static async of(defid: string, version: DefidVersion, { from, fromHeight, mintsAsOnMain }: PairOptions): Promise<ChainPair> {
    const operators = [...OPERATORS, ...KEYS.map(({ native }) => native)].map((address) => `-masternode_operator=${address}`);
    const flags = [...FLAGS, ...operators, ...(mintsAsOnMain ? [MINT_AS_ON_MAIN] : []), ...upgradeFlags(version, from, fromHeight)];
    const ethereum = version === '4.2.5' ? ([await ethereumPorts(), await ethereumPorts()] as const) : undefined;
    // The cache of answers of `defid` does not notice changes of the wallet.
    return new ChainPair(
      new Daemon([...flags, ...(ethereum?.[0].flags ?? []), '-rpcstrict']),
      new DefidDaemon(defid, [...flags, ...(ethereum?.[1].flags ?? []), '-rpccache=0']),
      flags,
      ethereum,
      from !== undefined,
    );
  }

  /** Starts both nodes and makes the world of a development network on them. */
  async start(): Promise<void> {
    await Promise.all([this.#daemon.start(), this.#reference.start()]);
    this.ours = new ChainNode(this.#daemon.rpcPort, this.ethereum?.[0].port ?? 0);
    this.theirs = new ChainNode(this.#reference.rpcPort, this.ethereum?.[1].port ?? 0);
    await makeWorld((method, ...args) => this.#found(method, args), params, Math.floor(Date.now() / 1000), { hasEvm: this.hasEvm });
    await this.#handOver();
    const { time } = (await this.ours.result('getblock', [await this.ours.result('getbestblockhash')])) as { readonly time: number };
    await this.advance(time + 60);
    if (!this.isStaged) await this.#switchOn();
  }

  /** Switches on what random attributes would seldom complete: futures, short proposals, updates of masternodes, and paybacks of DUSD in other ways. */
  async #switchOn(): Promise<void> {
    const dusd = Object.keys((await this.ours.result('gettoken', ['DUSD'])) as object)[0];
    const own = { [`v0/token/${dusd}/loan_payback/0`]: 'true', [`v0/token/${dusd}/loan_payback_collateral`]: 'true' };
    await this.govern([SCHEDULES, { ...SWITCHES, ...own }]);
  }

  /** Sets attributes, each in a block of its own. */
  async govern(attributes: readonly object[]): Promise<void> {
    for (const ATTRIBUTES of attributes) {
      await this.#must(this.ours, 'setgov', [{ ATTRIBUTES }]);
      const difference = await this.mint(this.ours);
      if (difference) throw new Error(difference);
      await this.advance(this.time + 60);
    }
  }

  /** A call of the world's script. */
  async #found(method: string, args: readonly unknown[]): Promise<unknown> {
    if (method === 'setmocktime' && args[0] === 0) return undefined;
    if (SHARED.has(method)) await this.#must(this.theirs, method, args);
    else if (!method.startsWith('generate') && !this.#hasSeed) await this.#setSeed();
    if (!this.isStaged) return this.#must(this.ours, method, args);
    return (await this.ours.result(method, args)) ?? {};
  }

  /** Sets the seed before the first transaction: a node without blocks refuses it. */
  async #setSeed(): Promise<void> {
    this.#hasSeed = true;
    await this.#handOver();
    for (const node of this.nodes) await this.#must(node, 'sethdseed', [true, SEED]);
  }

  /** Gives `defid` the blocks of our node. */
  async #handOver(): Promise<void> {
    const [from, to] = await Promise.all(this.nodes.map(async (node) => Number(await node.result('getblockcount'))));
    for (let height = Number(to) + 1; height <= Number(from); height++) await this.#hand(this.ours, this.theirs, height);
  }

  /** Parameters of the network of both nodes. */
  get params(): NetworkParams {
    const given = new Map(this.#flags.map((flag) => flag.split('=') as [string, string | undefined]));
    const upgradeHeights = heightsOfFlags((flag) => (given.has(flag) ? Number(given.get(flag)) : undefined));
    return networkParams({ network: 'regtest', jellyfish: true, upgradeHeights, mintTokenAsOnMain: this.#flags.includes(MINT_AS_ON_MAIN) });
  }

  /** Height from which blocks follow the rules of Eunos. */
  get eunosHeight(): number {
    return heightIn(this.#flags, 'eunos');
  }

  /** True if the next block converts the interest of all loans: until then `defid` reads it as if it were converted. */
  convertsInterest(height: number): boolean {
    return INTEREST_UPGRADES.some((upgrade) => heightIn(this.#flags, upgrade) === height + 1);
  }

  /** True if a block of this height may release locked tokens. */
  releasesTokens(height: number): boolean {
    return height >= heightIn(this.#flags, 'df24');
  }

  get hasEvm(): boolean {
    return this.ethereum !== undefined;
  }

  get nodes(): readonly [ours: NodeClient, theirs: NodeClient] {
    return [this.ours, this.theirs];
  }

  /** Name of a node that has ended; undefined if both run. */
  get ended(): string | undefined {
    if (!this.#reference.isRunning) return 'defid';
    return this.#daemon.process?.exitCode === null && this.#daemon.process.signalCode === null ? undefined : 'this node';
  }

  async stop(): Promise<void> {
    this.ours.close();
    this.theirs.close();
    await this.#daemon.destroy();
    this.#reference.destroy();
  }

  /** Sets the clocks of both nodes. @param time seconds since 1970 */
  async advance(time: number): Promise<void> {
    this.time = time;
    for (const node of this.nodes) await this.#must(node, 'setmocktime', [time]);
  }

  /** The chain of our node as a recording without answers. */
  async recording(name: string): Promise<Recording> {
    const { ours } = this;
    const count = Number(await ours.result('getblockcount'));
    const steps: RecordedBlock[] = [];
    for (let block = 1; block <= count; block++) {
      const hash = String(await ours.result('getblockhash', [block]));
      const { time } = (await ours.result('getblock', [hash])) as { readonly time: number };
      steps.push({ block, hash, time, hex: String(await ours.result('getblock', [hash, 0])) });
    }
    const version = this.hasEvm ? { version: '4.2.5' } : {};
    const genesis = String(await ours.result('getblockhash', [0]));
    return { header: { name, ...version, flags: this.#flags, blocks: count, genesis }, steps };
  }

  #nameOf(node: NodeClient): string {
    return node === this.ours ? 'this node' : 'defid';
  }

  async #must(node: NodeClient, method: string, args: readonly unknown[]): Promise<unknown> {
    const { text } = await node.call(method, args);
    const { result, error } = JSON.parse(text) as { result: unknown; error: { message: string } | null };
    if (error) throw new Error(`${this.#nameOf(node)}: ${method} ${JSON.stringify(args)}: ${error.message}`);
    return result;
  }

  /** Answers of both nodes to one call. */
  async both(method: string, args: readonly unknown[] = []): Promise<readonly [ours: Answer, theirs: Answer]> {
    return Promise.all([this.ours.call(method, args), this.theirs.call(method, args)]);
  }

  /** Gives the transactions of one mempool to the other. @returns the reason why one is refused; undefined if none is */
  async relay(from: NodeClient, to: NodeClient): Promise<string | undefined> {
    for (;;) {
      const known = new Set((await to.result('getrawmempool')) as readonly string[]);
      const missing = ((await from.result('getrawmempool')) as readonly string[]).filter((txid) => !known.has(txid));
      if (missing.length === 0) return undefined;
      let refusal = '';
      for (const txid of missing) {
        const hex = await from.result('getrawtransaction', [txid]);
        const { status, text } = await to.call('sendrawtransaction', [hex, 0]);
        if (status !== 200) refusal = `${text.trim()} for ${hex}`;
      }
      // A parent may follow its child in the list.
      const left = (await to.result('getrawmempool')) as readonly string[];
      if (missing.every((txid) => !left.includes(txid))) return refusal;
    }
  }

  /**
   * Mints a block with the mempool of one node, for both.
   * @param operator address of the operator that mints
   * @returns `no block` if the node makes none, a text if the nodes differ about it; undefined if they do not
   */
  async mint(author: NodeClient, operator?: string): Promise<string | undefined> {
    if (!(await this.#generate(author, operator))) return NO_BLOCK;
    return this.#handTip(author);
  }

  /** Gives the newest block of one node to the other. @returns a text if that one refuses it */
  async #handTip(author: NodeClient): Promise<string | undefined> {
    const height = Number(await author.result('getblockcount'));
    const answer = await this.#hand(author, author === this.ours ? this.theirs : this.ours, height);
    const [own, other] = await this.both('getbestblockhash');
    if (own.text === other.text) return undefined;
    const hex = await author.result('getblock', [await author.result('getblockhash', [height]), 0]);
    return `the block at height ${height} of ${this.#nameOf(author)} is refused: ${answer}\n  ${hex}`;
  }

  /** Mints a block on one node. @returns false if it makes none */
  async #generate(author: NodeClient, operator = OPERATOR.address): Promise<boolean> {
    // Not every time has a stake that meets the target.
    for (let tries = 1; (await this.#must(author, 'generatetoaddress', [1, operator, 1])) === 0; tries++) {
      if (tries === MAX_TRIES) return false;
      await this.advance(this.time + 1);
    }
    return true;
  }

  /** A valid block on the common tip, in hex, which our node made and disconnected; undefined if it makes none. */
  async propose(): Promise<Proposal | undefined> {
    if (!(await this.#generate(this.ours))) return undefined;
    const hash = String(await this.ours.result('getbestblockhash'));
    const hex = String(await this.ours.result('getblock', [hash, 0]));
    await this.#must(this.ours, 'invalidateblock', [hash]);
    return { hash, hex };
  }

  /** Makes a block that was disconnected the tip of both nodes. @returns a text if one refuses it */
  async accept({ hash }: Proposal): Promise<string | undefined> {
    await this.#must(this.ours, 'reconsiderblock', [hash]);
    return this.#handTip(this.ours);
  }

  /** Signs a transaction in hex with the keys of both wallets, as far as possible. */
  async sign(hex: string): Promise<string> {
    return ((await this.#must(this.ours, 'signrawtransactionwithwallet', [hex])) as { readonly hex: string }).hex;
  }

  /** Gives the block at a height to the other node. @returns the answer */
  async #hand(from: NodeClient, to: NodeClient, height: number): Promise<string> {
    const hash = await from.result('getblockhash', [height]);
    const { text } = await to.call('submitblock', [await from.result('getblock', [hash, 0])]);
    return text.trim();
  }
}
