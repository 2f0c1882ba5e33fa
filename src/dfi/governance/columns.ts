import { type Codec, list, restBytes, struct, u32be } from '../../primitives/codec.js';
import type { AnyColumn, Column } from '../../storage/view.js';
import { attributes } from '../attributes/attributes.js';
import { byteString } from '../kernel/text.js';
import { governedNumbers } from './governed-columns.js';

export interface PendingKey {
  readonly height: number;
  /** Of the variable. */
  readonly name: string;
}

const pendingKey: Codec<PendingKey> = struct<PendingKey>({ height: u32be, name: byteString });

/** Values of the variables by name, but for ATTRIBUTES; those that are empty are not kept. In the form of messages. */
export const variables: Column<string, Uint8Array> = { name: 'dfi/variable', key: byteString, value: restBytes };

/** Values that variables take at the end of a block to come, by its height. In the form of messages. */
export const pendingVariables: Column<PendingKey, Uint8Array> = { name: 'dfi/variable-pending', key: pendingKey, value: restBytes };

/** Keys that variables lose at the end of a block to come. */
export const pendingRemovals: Column<PendingKey, readonly string[]> = {
  name: 'dfi/variable-removal',
  key: pendingKey,
  value: list(byteString),
};

export const governanceColumns: readonly AnyColumn[] = [attributes, governedNumbers, variables, pendingVariables, pendingRemovals];
