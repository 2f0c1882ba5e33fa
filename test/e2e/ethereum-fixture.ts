import { Daemon, freePort } from '../daemon.js';
import { FOUNDER, MockTimeMinting, OPERATOR, upgradedFlags } from '../regtest.js';

/** A daemon whose chain has an EVM, and that serves Ethereum's JSON-RPC. */
export class EthereumDaemon {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly #daemon: Daemon;
  readonly #minting = new MockTimeMinting((seconds) => this.ask('setmocktime', seconds));

  private constructor(http: number, ws: number, flags: readonly string[]) {
    this.httpUrl = `http://127.0.0.1:${http}`;
    this.wsUrl = `ws://127.0.0.1:${ws}`;
    const ports = [`-ethrpcport=${http}`, `-wsport=${ws}`];
    this.#daemon = new Daemon([...upgradedFlags(), ...ports, ...flags]);
  }

  /** Starts a node and mints the first EVM blocks. */
  static async start(flags: readonly string[] = []): Promise<EthereumDaemon> {
    const node = new EthereumDaemon(await freePort(), await freePort(), flags);
    await node.#daemon.start();
    for (const { key } of [OPERATOR, FOUNDER]) await node.ask('importprivkey', key);
    await node.mint(110);
    await node.ask('utxostoaccount', { [FOUNDER.address]: '100@DFI' });
    await node.mint();
    for (const attributes of [
      { 'v0/params/feature/evm': 'true', 'v0/params/feature/transferdomain': 'true' },
      { 'v0/transferdomain/dvm-evm/enabled': 'true', 'v0/transferdomain/dvm-evm/src-formats': ['p2pkh', 'bech32'] },
    ]) {
      await node.ask('setgov', { ATTRIBUTES: attributes });
      await node.mint();
    }
    await node.mint(2);
    return node;
  }

  ask(method: string, ...params: unknown[]): Promise<unknown> {
    return this.#daemon.ask(method, ...params);
  }

  mint(count = 1): Promise<void> {
    return this.#minting.mint(count, (some) => this.ask('generatetoaddress', some, FOUNDER.address));
  }

  /** Moves DFI of the DVM to an EVM address. */
  async fund(address: string, amount: number): Promise<void> {
    const src = { address: FOUNDER.address, amount: `${amount}@DFI`, domain: 2 };
    await this.ask('transferdomain', [{ src, dst: { address, amount: `${amount}@DFI`, domain: 3 }, singlekeycheck: false }]);
    await this.mint();
  }

  /** Answer of the Ethereum port, as text. */
  async post(body: string, headers: Record<string, string> = {}): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(this.httpUrl, { method: 'POST', body, headers });
    return { status: response.status, text: await response.text() };
  }

  stop(): Promise<void> {
    return this.#daemon.destroy();
  }
}
