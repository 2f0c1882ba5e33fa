import { JsonNumber, JsonObject, type JsonValue } from '../util/json.js';

const METHODS = ['getnetworkinfo', 'getblockchaininfo', 'getwalletinfo'];

/** Batch request of `-getinfo`; ids are positions. */
export const getinfoRequest: JsonValue = METHODS.map((method, id) => requestOf(method, null, id));

/** JSON-RPC request object. */
export function requestOf(method: string, params: JsonValue, id: number): JsonObject {
  return new JsonObject([
    ['method', method],
    ['params', params],
    ['id', new JsonNumber(String(id))],
  ]);
}

/**
 * Merges the replies of the batch into one. An error of the first two calls is the result; without wallet its members are omitted.
 * @throws {Error} if the answer is not a batch of replies
 */
export function getinfoReply(batch: JsonValue): JsonObject {
  const [network, chain, wallet] = METHODS.map((_, id) => replyWithId(batch, id));
  for (const reply of [network, chain]) if ((reply?.get('error') ?? null) !== null) return reply as JsonObject;
  const [net, blocks, funds] = [network, chain, wallet].map(resultOf);
  const networks = net?.get('networks');
  const firstNetwork = Array.isArray(networks) ? (networks[0] as JsonValue | undefined) : undefined;
  const members: [string, JsonValue | undefined][] = [
    ['version', net?.get('version')],
    ['protocolversion', net?.get('protocolversion')],
    ['blocks', blocks?.get('blocks')],
    ['timeoffset', net?.get('timeoffset')],
    ['connections', net?.get('connections')],
    ['proxy', firstNetwork instanceof JsonObject ? firstNetwork.get('proxy') : undefined],
    ['difficulty', blocks?.get('difficulty')],
    ['chain', blocks?.get('chain')],
    ...(funds ? walletMembers(funds) : []),
    ['relayfee', net?.get('relayfee')],
    ['warnings', net?.get('warnings')],
  ];
  const result = new JsonObject(members.map(([name, value]) => [name, value ?? null]));
  return new JsonObject([
    ['result', result],
    ['error', null],
    ['id', new JsonNumber('1')],
  ]);
}

function walletMembers(wallet: JsonObject): [string, JsonValue | undefined][] {
  const unlocked = wallet.get('unlocked_until');
  return [
    ['walletversion', wallet.get('walletversion')],
    ['balance', wallet.get('balance')],
    ['keypoololdest', wallet.get('keypoololdest')],
    ['keypoolsize', wallet.get('keypoolsize')],
    ...(unlocked === undefined ? [] : [['unlocked_until', unlocked] as [string, JsonValue]]),
    ['paytxfee', wallet.get('paytxfee')],
  ];
}

function replyWithId(batch: JsonValue, id: number): JsonObject {
  const replies = Array.isArray(batch) ? (batch as readonly JsonValue[]) : [];
  for (const reply of replies) {
    const found = reply instanceof JsonObject ? reply.get('id') : undefined;
    if (reply instanceof JsonObject && found instanceof JsonNumber && found.text === String(id)) return reply;
  }
  throw new Error('expected reply to have result, error and id properties');
}

function resultOf(reply: JsonObject | undefined): JsonObject | undefined {
  const result = reply?.get('result');
  return result instanceof JsonObject ? result : undefined;
}
