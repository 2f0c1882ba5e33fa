import type { NodeClient, Question } from '../calls/node-client.js';
import { isRefusal } from './report.js';

/**
 * Members of answers that depend on the node, and what the history has from the wallet: `defid` still shows transactions of disconnected
 * blocks there.
 */
const VARYING =
  /"consortiumtokens":\[[^\]]*\],|"(disk_size|hash_serialized_2)": ?[^,}]+|\{[^{}]*"type":"(sent|receive|blockReward)"[^{}]*\},?/g;

/** Answers of a node about its state, in the order of the questions. */
export async function statesOf(node: NodeClient, questions: readonly Question[]): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const [method, ...params] of questions) {
    const { text: answer } = await node.call(method, params).catch((cause) => {
      throw new Error(`no answer to ${method} ${JSON.stringify(params)}`, { cause });
    });
    const text = answer.replace(VARYING, '').replaceAll(',]', ']');
    answers.push(ordered(method, text));
  }
  return answers;
}

type Ordering = (result: unknown) => unknown;

/** Lists that `defid` gives in an order that changes, with an order of their own. */
const ORDERINGS: Readonly<Record<string, Ordering>> = {
  eth_getLogs: (logs) => (logs as { readonly logIndex: string }[]).sort((a, b) => Number(a.logIndex) - Number(b.logIndex)),
  eth_createAccessList: (list) => {
    const { accessList, ...rest } = list as {
      readonly accessList: readonly { readonly address: string; readonly storageKeys: string[] }[];
    };
    return { ...rest, accessList: accessList.map(({ address, storageKeys }) => [address, ...storageKeys.sort()].join()).sort() };
  },
};

function ordered(method: string, text: string): string {
  const ordering = ORDERINGS[method];
  if (!ordering || isRefusal(text)) return text;
  return JSON.stringify(ordering((JSON.parse(text) as { readonly result: unknown }).result));
}

/** The texts of both nodes from shortly before they differ. @param name of the other node */
export function difference(own: string, other: string, name: string): string {
  const at = Math.max(0, [...own].findIndex((letter, i) => letter !== other[i]) - 300);
  return `  here:  ${own.slice(at, at + 700).trimEnd()}\n  ${name}: ${other.slice(at, at + 700).trimEnd()}`;
}
