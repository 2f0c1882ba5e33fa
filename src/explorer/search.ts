import { recordOf } from './json.js';
import type { NodeClient } from './node-client.js';
import { routeTo } from './routes.js';

/**
 * Meanings of a text of 64 hex digits, in order: the call that knows it, and the route to it. Vaults, masternodes and proposals have the
 * txid of the transaction that made them.
 */
const HASHES = [
  ['getblockheader', 'block'],
  ['getvault', 'vault'],
  ['getmasternode', 'masternode'],
  ['getgovproposal', 'proposal'],
  ['getrawtransaction', 'tx'],
] as const;

/** Meanings of a name, in order. */
const NAMES = [
  ['getpoolpair', 'pool'],
  ['gettoken', 'token'],
] as const;

/** Route to what a text names: a height, a hash, an address, a token or a pool; undefined if the node knows none. */
export async function findRoute(node: NodeClient, typed: string): Promise<string | undefined> {
  const text = typed.trim();
  if (/^\d{1,10}$/.test(text)) return routeTo('block', text);
  if (/^(0x)?[\da-f]{64}$/i.test(text)) return firstKnown(node, HASHES, text.replace(/^0x/i, '').toLowerCase());
  if (/^0x[\da-f]{40}$/i.test(text)) return routeTo('address', text);
  const validity = await node.attempt('validateaddress', text);
  if (recordOf(validity).isvalid === true) return routeTo('address', text);
  return firstKnown(node, NAMES, text);
}

async function firstKnown(
  node: NodeClient,
  candidates: readonly (readonly [method: string, route: string])[],
  text: string,
): Promise<string | undefined> {
  const answers = await node.callAll(candidates.map(([method]) => [method, text]));
  const found = candidates.find((_, i) => answers[i] !== undefined);
  return found && routeTo(found[1], text);
}
