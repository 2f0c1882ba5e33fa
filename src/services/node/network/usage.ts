import type { Catalogue } from '../../../rpc/catalogue.js';
import { NodeError } from '../../../util/errors.js';

/** Modules that know the help of operations. */
export interface UsageModules {
  readonly catalogue: Pick<Catalogue, 'byName'>;
}

/** Error with the help of an operation, as for a wrong number of arguments. */
export function wrongUsage({ catalogue }: UsageModules, name: string): NodeError {
  return new NodeError('usage', catalogue.byName(name)?.help ?? '');
}
