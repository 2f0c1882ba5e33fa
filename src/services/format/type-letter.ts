import { customTxOf } from '../../dfi/execution/registry.js';
import { byteText } from '../../dfi/kernel/text.js';

/**
 * Type byte that a filter of a history names by its letter: 0 for any other text of one byte. Longer texts, such as names of types, are
 * ignored.
 * @returns undefined for all types
 */
export function letterCategory(text: string | undefined): number | undefined {
  if (text === undefined || byteText(text).length !== 1) return undefined;
  return customTxOf(text) ? text.charCodeAt(0) : 0;
}
