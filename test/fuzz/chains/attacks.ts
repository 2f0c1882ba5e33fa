import { block as blockCodec } from '../../../src/primitives/block.js';
import { decode } from '../../../src/primitives/codec.js';
import { fromHex } from '../../../src/util/bytes.js';
import type { Random } from '../mutate.js';
import { HostileBlocks } from './hostile-blocks.js';
import { HostileMessages } from './hostile-messages.js';
import { type ChainPair, KEYS, OPERATOR_KEY, type Proposal, params } from './pair.js';
import { Payloads } from './payloads.js';
import { isRefusal, type Report, reasonOf } from './report.js';
import { ShadowChain } from './shadow.js';

/** Reason of a block with a message that must not fail. */
const FAILED_MESSAGE = 'bad-custom-tx';

/** Gives both nodes wrong transactions and blocks, made from those of their chain. */
export class Attacks {
  readonly #payloads: Payloads;
  readonly #blocks: HostileBlocks;
  readonly #messages: HostileMessages;
  readonly #shadow: ShadowChain | undefined;

  constructor(
    private readonly pair: ChainPair,
    private readonly random: Random,
    private readonly report: Report,
    /** Most wrong blocks that are tried at one height. */
    private readonly most: number,
  ) {
    const payloads = new Payloads(random);
    const sign = (hex: string) => pair.sign(hex);
    this.#payloads = payloads;
    this.#shadow = pair.hasEvm ? new ShadowChain(pair.params) : undefined;
    const { commitment } = this.#shadow ?? {};
    this.#blocks = new HostileBlocks({ params, key: OPERATOR_KEY, payloads, sign, evm: commitment && { keys: KEYS, commitment } }, random);
    this.#messages = new HostileMessages({ params, node: pair.ours, keys: KEYS, payloads, sign }, random);
  }

  /** Notes the transactions of the newest block. */
  async noteTip(): Promise<void> {
    const { ours } = this.pair;
    const hex = String(await ours.result('getblock', [await ours.result('getbestblockhash'), 0]));
    for (const tx of decode(blockCodec(params.txFormat), fromHex(hex)).transactions) {
      this.#payloads.note(tx);
      this.#messages.note(tx);
    }
  }

  /**
   * Gives both nodes a transaction with a wrong message.
   * @param mayDiffer true if the nodes regard different transactions
   * @returns a text if one of them alone accepts it
   */
  async message(mayDiffer: boolean): Promise<string | undefined> {
    const { pair, report } = this;
    const hex = await this.#messages.next();
    if (hex === undefined) return undefined;
    const [own, other] = await pair.both('sendrawtransaction', [hex, 0]);
    const shown = `a message: ${own.text.trim().slice(0, 300)}${isRefusal(own.text) ? '' : `\n  ${hex}`}`;
    const full = `${shown}\n  defid: ${other.text.trim()}\n  ${hex}`;
    report.recent.push(shown);
    if (own.text !== other.text && mayDiffer) report.leave(`after blocks were disconnected: ${full}`);
    else if (isRefusal(own.text) !== isRefusal(other.text)) return full;
    else if (own.text !== other.text) report.texts.push(full);
    else if (isRefusal(own.text)) report.refuse(`message: ${reasonOf(own.text)}`);
    else report.accept('message');
    return undefined;
  }

  /**
   * Gives both nodes wrong blocks in place of a right one, until they accept one or there have been a few.
   * @returns true if they accepted one, false if none, a text if one of them alone accepted a block
   */
  async blocks(proposal: Proposal): Promise<boolean | string> {
    const { pair, random, report } = this;
    await this.#shadow?.follow(pair.ours);
    const [before] = await pair.both('getbestblockhash');
    for (let left = 1 + random.below(this.most); left > 0; left--) {
      const { name, hash, hex } = await this.#blocks.variant(proposal.hex);
      // A transaction may be doubled without another merkle root, and our node knows the block with that hash.
      if (hash === proposal.hash) continue;
      const own = await pair.ours.call('submitblock', [hex]);
      // Before Eunos `defid` does not mark such a block invalid: it tries it again for every later one, and accepts none.
      if (own.text.includes(FAILED_MESSAGE) && (await this.#isBeforeEunos())) continue;
      const other = await pair.theirs.call('submitblock', [hex]);
      const [tip, otherTip] = await pair.both('getbestblockhash');
      const shown = `a block with another ${name}: ${own.text.trim()}`;
      const full = `${shown}\n  defid: ${other.text.trim()}\n  ${hex}`;
      report.recent.push(shown);
      if (tip.text !== otherTip.text) return full;
      if (own.text !== other.text) report.texts.push(full);
      if (tip.text !== before.text) {
        report.accept(`block with another ${name}`);
        return true;
      }
      if (own.text === other.text) report.refuse(`block with another ${name}: ${own.text.trim()}`);
    }
    return false;
  }

  async #isBeforeEunos(): Promise<boolean> {
    return Number(await this.pair.ours.result('getblockcount')) + 1 < this.pair.eunosHeight;
  }
}
