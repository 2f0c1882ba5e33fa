/** One call of an operation of the node, as over JSON-RPC. Amounts are texts, so that no number loses precision. */
export type Call = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

/** Time between two blocks of the script, in seconds. */
const SPACING_SEC = 30;
/** Age of the first block of the script, in seconds. The script makes fewer blocks than fit into it. */
const AGE_SEC = 7200;
/** Blocks that find a time although the clock is stopped. */
const BLOCKS_AT_ONCE = 5;

/** State of a script of calls: its clock, and the address that founds tokens and is paid for blocks. */
export class Script {
  /** Time of the script, seconds since 1970. */
  time: number;

  /** @param founder address of a foundation member @param now seconds since 1970 */
  constructor(
    readonly call: Call,
    readonly founder: string,
    now: number,
  ) {
    this.time = now - AGE_SEC;
  }

  /** Makes the calls one after the other; all their transactions get into the next block. */
  async calls(...list: readonly (readonly [method: string, ...params: unknown[]])[]): Promise<void> {
    for (const [method, ...params] of list) await this.call(method, ...params);
  }

  /** Id of the transaction that a call sends. */
  async send(method: string, ...params: readonly unknown[]): Promise<string> {
    return String(await this.call(method, ...params));
  }

  /** Mints blocks in the past, so that their times do not have to be waited for. */
  async mine(count = 1): Promise<void> {
    for (let left = count; left > 0; left -= BLOCKS_AT_ONCE) {
      const some = Math.min(left, BLOCKS_AT_ONCE);
      this.time += some * SPACING_SEC;
      await this.call('setmocktime', this.time);
      await this.call('generatetoaddress', some, this.founder);
    }
  }

  /** Mints until the height is a multiple of the interval. */
  async mineTo(interval: number): Promise<void> {
    const height = Number(await this.call('getblockcount'));
    await this.mine(interval - (height % interval));
  }
}
