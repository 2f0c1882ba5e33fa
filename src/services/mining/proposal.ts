import { block as blockCodec } from '../../primitives/block.js';
import { ByteReader } from '../../primitives/codec.js';
import { equalBytes } from '../../util/bytes.js';
import { decoding, hexBytes } from './decode-errors.js';
import type { MiningModules } from './modules.js';

type ProposalChain = Pick<MiningModules['chain'], 'params' | 'tip' | 'entry' | 'testBlock'>;

/**
 * Tests a block proposal. Signature and stake are not checked, and nothing is stored.
 * @param hex the block; trailing bytes are ignored
 * @returns reject reason, or undefined for a valid block
 * @see BIP23
 */
export function testProposal(chain: ProposalChain, hex: string): string | undefined {
  const block = decoding('Block decode failed', () => blockCodec(chain.params.txFormat).read(new ByteReader(hexBytes(hex))));
  const known = chain.entry(block.hash);
  if (known?.failed) return 'duplicate-invalid';
  if (known) return known.valid ? 'duplicate' : 'duplicate-inconclusive';
  if (!equalBytes(block.header.prevHash, chain.tip.hash)) return 'inconclusive-not-best-prevblk';
  const reason = chain.testBlock(block)?.reason;
  return reason === '' ? 'rejected' : reason;
}
