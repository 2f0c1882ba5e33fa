import { Daemon, freePort } from '../daemon.js';
import { FOUNDER, MockTimeMinting, OPERATOR, upgradedFlags } from '../regtest.js';
import { until } from '../until.js';

/** Two connected nodes with an EVM, and an account with 100 DFI and 50 BTC in the wallet of the first. */
export class EvmNodes {
  /** Native address of the account, and the EVM address of the same key. */
  native = '';
  erc55 = '';
  readonly #minting = new MockTimeMinting((seconds) => Promise.all([this.one, this.two].map((node) => node.ask('setmocktime', seconds))));

  private constructor(
    readonly one: Daemon,
    readonly two: Daemon,
  ) {}

  static async start(): Promise<EvmNodes> {
    const port = await freePort();
    const one = new Daemon([...upgradedFlags(), '-listen=1', '-bind=127.0.0.1', `-port=${port}`]);
    const two = new Daemon([...upgradedFlags(), `-connect=127.0.0.1:${port}`]);
    const nodes = new EvmNodes(one, two);
    await Promise.all([one.start(), two.start()]);
    for (const { key } of [OPERATOR, FOUNDER]) for (const node of [one, two]) await node.ask('importprivkey', key);
    await nodes.#setUp();
    return nodes;
  }

  async #setUp(): Promise<void> {
    const { one } = this;
    await this.mint(one, 110);
    this.native = String(await one.ask('getnewaddress', '', 'bech32'));
    this.erc55 = ((await one.ask('addressmap', this.native, 1)) as { format: { erc55: string } }).format.erc55;
    await one.ask('sendtoaddress', this.native, 10);
    await this.createToken('BTC');
    await this.mint(one);
    await one.ask('utxostoaccount', { [this.native]: '100@DFI' });
    await one.ask('minttokens', '50@BTC');
    await this.mint(one);
    await one.ask('accounttoaccount', FOUNDER.address, { [this.native]: '50@BTC' });
    await this.setGov({ 'v0/params/feature/evm': 'true', 'v0/params/feature/transferdomain': 'true' });
    await this.setGov({ 'v0/transferdomain/dvm-evm/dat-enabled': 'true', 'v0/transferdomain/evm-dvm/dat-enabled': 'true' });
  }

  async destroy(): Promise<void> {
    await Promise.all([this.one.destroy(), this.two.destroy()]);
  }

  mint(node: Daemon, count = 1): Promise<void> {
    return this.#minting.mint(count, (some) => node.ask('generatetoaddress', some, FOUNDER.address));
  }

  async createToken(symbol: string): Promise<void> {
    await this.one.ask('createtoken', { symbol, name: `Token ${symbol}`, isDAT: true, collateralAddress: FOUNDER.address });
  }

  async setGov(attributes: object): Promise<void> {
    await this.one.ask('setgov', { ATTRIBUTES: attributes });
    await this.mint(this.one);
  }

  /** Moves an amount between the DVM and the EVM account. @param nonce that of the account by default */
  move(amount: string, way: 'in' | 'out', nonce?: number): Promise<unknown> {
    const [here, there] = [
      { address: this.native, amount, domain: 2 },
      { address: this.erc55, amount, domain: 3 },
    ];
    const sides = way === 'in' ? { src: here, dst: there } : { src: there, dst: here };
    return this.one.ask('transferdomain', [nonce === undefined ? sides : { ...sides, nonce }]);
  }

  /** Answers of a node about its state: tip, both accounts and the statistics. */
  async stateOf(node: Daemon): Promise<string> {
    const accounts = [await node.ask('getaccount', this.native), await node.ask('getaccount', this.erc55)];
    return JSON.stringify([await node.ask('getbestblockhash'), accounts, await node.ask('listgovs', 'live')]);
  }

  async untilLevel(): Promise<void> {
    await until(async () => (await this.one.ask('getbestblockhash')) === (await this.two.ask('getbestblockhash')), 'one tip');
  }
}
