import { type Codec, list, restBytes, struct, u32be } from '../../primitives/codec.js';
import type { AnyColumn, Column } from '../../storage/view.js';
import { attributes } from '../attributes/attributes.js';
import { byteString } from '../kernel/text.js';
import { governedNumbers } from './governed-columns.js';

/** Key of a pending change: height, big-endian so that heights ascend, then the name. */
export interface PendingKey {
  readonly height: number;
  /** Name of the variable. */
  readonly name: string;
}

const pendingKey: Codec<PendingKey> = struct<PendingKey>({ height: u32be, name: byteString });

/** Values of the variables by name in wire form, except ATTRIBUTES. Empty lists are not stored. */
export const variables: Column<string, Uint8Array> = { name: 'dfi/variable', key: byteString, value: restBytes };

/** Values, in wire form, that variables are set to at the end of the block at a height. */
export const pendingVariables: Column<PendingKey, Uint8Array> = { name: 'dfi/variable-pending', key: pendingKey, value: restBytes };

/** Keys of variables that are unset at the end of the block at a height. */
export const pendingRemovals: Column<PendingKey, readonly string[]> = {
  name: 'dfi/variable-removal',
  key: pendingKey,
  value: list(byteString),
};

/** Columns of governance variables, attributes and their pending changes. */
export const governanceColumns: readonly AnyColumn[] = [attributes, governedNumbers, variables, pendingVariables, pendingRemovals];
