import { type Codec, struct } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { undoLog } from '../../storage/undo.js';
import type { Column, UndoLog } from '../../storage/view.js';

/** Undo record of an indexed block. */
export interface OceanUndo {
  /** Hash of the block before; the zero hash for genesis. */
  readonly parent: Hash256;
  /** Old values of all rows that the block changed. */
  readonly log: UndoLog;
}

const oceanUndo: Codec<OceanUndo> = struct<OceanUndo>({ parent: hash256, log: undoLog });

/** Undo records of the newest indexed blocks. */
export const oceanUndos: Column<Hash256, OceanUndo> = { name: 'ocean/undo', key: hash256, value: oceanUndo };
