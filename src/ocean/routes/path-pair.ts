import { byteText } from '../../dfi/kernel/text.js';
import type { PricePair } from '../../dfi/oracles/columns.js';
import { pathText } from '../api/request.js';
import type { OceanRequest } from '../api/route.js';

/** Pair that the parts `token` and `currency` of a path name. */
export function pathPair(request: OceanRequest): PricePair {
  return { token: byteText(pathText(request, 'token')), currency: byteText(pathText(request, 'currency')) };
}
