import type { Codec } from '../../primitives/codec.js';
import { limitedList } from './limits.js';
import { type TimedAddress, timedAddress } from './net-address.js';

/** Nodes that the sender knows of. */
export const addr: Codec<readonly TimedAddress[]> = limitedList(timedAddress, 'addr');
