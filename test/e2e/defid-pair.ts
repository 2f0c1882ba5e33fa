import http from 'node:http';
import { Daemon, freePort } from '../daemon.js';
import { defidPath, withoutDefid } from '../fuzz/calls/defid.js';
import { DefidDaemon } from '../fuzz/calls/node-client.js';
import { FOUNDER, OPERATOR, upgradedFlags } from '../regtest.js';
import { until } from '../until.js';

/** Path of a `defid` 4.2.5; undefined if there is none. */
export const DEFID_425 = defidPath('4.2.5');

/** Reason to skip a test without `defid`, or false. */
export const WITHOUT_DEFID_425 = withoutDefid('4.2.5');

const SECRET = 'af990cc3ba17e776f7f57fcc59942a82846d75833fa17d2ba59ce6858d886e23';
/** EVM address of the key that both wallets hold. */
export const EVM = '0x9b8a4af42140d8a4c153a822f02571a1dd037e89';
export const OTHER = '0x6c34cbb9219d8caa428835d2073e8ec88ba0a110';
/** Creation code of a contract that returns the number 42: it copies the ten bytes at the end. */
export const CREATION = '0x600a600c600039600a6000f3602a60005260206000f3';
const FLAGS = [...upgradedFlags(), '-df23height=125', '-df24height=135'];

/** A node by its ports. */
export interface Node {
  readonly rpc: number;
  readonly ethereum: number;
  /** Port of subscriptions. */
  readonly sockets: number;
}

/** Answer of a node to a body. */
export function posted(port: number, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: Daemon.authorization, 'content-type': 'application/json' };
    const request = http.request({ port, method: 'POST', headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    request.on('error', reject).end(body);
  });
}

/** Answer to an operation. */
export function called({ rpc }: Node, method: string, params: readonly unknown[] = []): Promise<string> {
  return posted(rpc, JSON.stringify({ id: 1, method, params }));
}

/** Answer to a method of Ethereum. */
export function asked({ ethereum }: Node, method: string, params: readonly unknown[] = []): Promise<string> {
  return posted(ethereum, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
}

/** Result of an answer. @throws {Error} if the answer is an error */
export async function result(answer: Promise<string>): Promise<unknown> {
  const { result, error } = JSON.parse(await answer) as { result: unknown; error?: unknown };
  if (error) throw new Error(JSON.stringify(error));
  return result;
}

/** Our node and a `defid` 4.2.5, connected, with the same keys and an EVM. */
export class DefidPair {
  #defid: DefidDaemon | undefined;
  #daemon: Daemon | undefined;
  ours: Node = { rpc: 0, ethereum: 0, sockets: 0 };
  theirs: Node = { rpc: 0, ethereum: 0, sockets: 0 };

  /** @param ourFlags further flags of our node */
  async start(ourFlags: readonly string[] = ['-rpcstrict']): Promise<void> {
    const [ethereum = 0, sockets = 0, p2p = 0, ownEthereum = 0, ownSockets = 0] = await Promise.all(Array.from({ length: 5 }, freePort));
    const own = [`-ethrpcport=${ethereum}`, `-wsport=${sockets}`, '-listen=1', '-bind=127.0.0.1', `-port=${p2p}`];
    this.#defid = new DefidDaemon(String(DEFID_425), [...own, ...FLAGS]);
    await this.#defid.start();
    this.theirs = { rpc: this.#defid.rpcPort, ethereum, sockets };
    this.#daemon = new Daemon([...FLAGS, ...ourFlags, `-ethrpcport=${ownEthereum}`, `-wsport=${ownSockets}`, `-connect=127.0.0.1:${p2p}`]);
    await this.#daemon.start();
    this.ours = { rpc: this.#daemon.rpcPort, ethereum: ownEthereum, sockets: ownSockets };
    for (const node of [this.ours, this.theirs]) {
      for (const key of [OPERATOR.key, FOUNDER.key, SECRET]) await result(called(node, 'importprivkey', [key]));
    }
    await this.#setUp();
  }

  async stop(): Promise<void> {
    this.#defid?.destroy();
    await this.#daemon?.destroy();
  }

  until(holds: () => Promise<boolean>, what: string): Promise<void> {
    return until(holds, what, 60_000);
  }

  /** True if both nodes answer an operation in the same way. */
  async same(method: string, params: readonly unknown[] = []): Promise<boolean> {
    return (await called(this.ours, method, params)) === (await called(this.theirs, method, params));
  }

  /** Mints blocks with the transactions of both mempools. */
  async mint(node: Node, count = 1): Promise<void> {
    const pools = () => [this.ours, this.theirs].map((each) => result(called(each, 'getrawmempool')) as Promise<string[]>);
    await this.until(async () => {
      const [a = [], b = []] = await Promise.all(pools());
      return [...a].sort().join() === [...b].sort().join();
    }, 'one mempool');
    await result(called(node, 'generatetoaddress', [count, FOUNDER.address]));
    await this.until(() => this.same('getbestblockhash'), 'one tip');
  }

  async #setUp(): Promise<void> {
    const { ours, theirs } = this;
    await this.until(async () => ((await result(called(ours, 'getconnectioncount'))) as number) > 0, 'connection');
    await this.mint(ours, 60);
    await this.mint(theirs, 50);
    await result(called(ours, 'createtoken', [{ symbol: 'BTC', name: 'Token BTC', isDAT: true, collateralAddress: FOUNDER.address }]));
    await this.mint(theirs);
    await result(called(theirs, 'utxostoaccount', [{ [FOUNDER.address]: '200@DFI' }]));
    await this.mint(ours);
    await result(called(theirs, 'minttokens', ['50@BTC']));
    await this.mint(ours);
    const switches = ['params/feature/evm', 'params/feature/transferdomain'];
    const edges = ['transferdomain/dvm-evm/dat-enabled', 'transferdomain/evm-dvm/dat-enabled'];
    for (const names of [switches, edges]) {
      const ATTRIBUTES = Object.fromEntries(names.map((name) => [`v0/${name}`, 'true']));
      await result(called(ours, 'setgov', [{ ATTRIBUTES }]));
      await this.mint(theirs);
    }
  }

  /** Moves an amount between the founder's address and the EVM address. */
  move(node: Node, amount: string, way: 'in' | 'out'): Promise<unknown> {
    const [dvm, evm] = [
      { address: FOUNDER.address, amount, domain: 2 },
      { address: EVM, amount, domain: 3 },
    ];
    const sides = way === 'in' ? { src: dvm, dst: evm } : { src: evm, dst: dvm };
    return result(called(node, 'transferdomain', [[{ ...sides, singlekeycheck: false }]]));
  }

  /** Sends a transaction of the EVM address. */
  send(node: Node, fields: object): Promise<unknown> {
    return result(asked(node, 'eth_sendTransaction', [{ from: EVM, gasPrice: '0x2540be400', ...fields }]));
  }
}
