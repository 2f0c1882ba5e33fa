import type { BlockFilesOptions } from '../chain/block-files.js';
import type { NetworkParams } from '../params/network.js';

/**
 * Beginnings of records in this node's block files, 4 bytes each. They must not depend on options, or the next start could not read the
 * files: with -devnet-bootstrap the magic of messages is that of the test network, and earlier versions wrote it into the files.
 */
export function blockMagics({
  name,
  p2pMagic,
  defidFileMagic,
}: Pick<NetworkParams, 'name' | 'p2pMagic' | 'defidFileMagic'>): Required<Pick<BlockFilesOptions, 'magic' | 'formerMagic'>> {
  return { magic: name === 'main' ? p2pMagic : defidFileMagic, formerMagic: p2pMagic };
}
