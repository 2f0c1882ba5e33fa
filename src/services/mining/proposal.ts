import { block as blockCodec } from '../../primitives/block.js';
import { ByteReader } from '../../primitives/codec.js';
import { equalBytes } from '../../util/bytes.js';
import { decoding, hexBytes } from './decoding.js';
import type { MiningModules } from './modules.js';

type ProposalChain = Pick<MiningModules['chain'], 'params' | 'tip' | 'entry' | 'testBlock'>;

/**
 * What would become of a block that is not finished: its signature and stake are not looked at, and nothing is kept.
 * @param hex of the block; what follows it is ignored
 * @returns why it would be refused, undefined if it would not
 * @see BIP23
 */
export function judgeProposal(chain: ProposalChain, hex: string): string | undefined {
  const block = decoding('Block decode failed', () => blockCodec(chain.params.txFormat).read(new ByteReader(hexBytes(hex))));
  const known = chain.entry(block.hash);
  if (known?.failed) return 'duplicate-invalid';
  if (known) return known.valid ? 'duplicate' : 'duplicate-inconclusive';
  if (!equalBytes(block.header.prevHash, chain.tip.hash)) return 'inconclusive-not-best-prevblk';
  const reason = chain.testBlock(block);
  return reason === '' ? 'rejected' : reason;
}
