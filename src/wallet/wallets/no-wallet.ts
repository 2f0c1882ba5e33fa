import { NodeError } from '../../util/errors.js';

/** Refusal of an operation that needs a wallet, although the node knows it: no wallet is loaded. */
export function noWallet(): NodeError {
  return new NodeError('method-not-found', 'Method not found (wallet method is disabled because no wallet is loaded)');
}
