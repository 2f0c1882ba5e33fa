import { spendsOutputs } from '../../consensus/transaction.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import { type Transaction, TX_VERSION_TOKENS } from '../../primitives/transaction.js';
import { isUnspendable } from '../../script/script.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { byteText } from '../../util/bytes.js';
import type { IndexedBlock } from './indexed-block.js';
import type { AddRows } from './rows.js';
import {
  type OutputAmount,
  type ScriptOutputKey,
  type ScriptTotals,
  scriptActivities,
  scriptId,
  scriptTotals,
  scriptUnspents,
} from './script-columns.js';

/** An output of a script, or an input that spends one. */
interface Movement {
  /** Key of the output among unspent ones. */
  readonly output: ScriptOutputKey;
  /** Amount of an output; undefined for a spent one, whose amount is found by its key. */
  readonly amount: OutputAmount | undefined;
  /** Transaction of an input; undefined for an output. */
  readonly spentBy: Hash256 | undefined;
}

/** Movements that are added in one step. */
const MOVEMENTS_AT_ONCE = 100;

const NONE: ScriptTotals = { height: 0, received: 0, spent: 0, receivedAmount: 0n, spentAmount: 0n };

/** Adds the coins of a block to the totals, activities and unspent outputs of their scripts. @see docs/protocol/ocean.md 4.2 */
export const addScripts: AddRows = function* (view, block) {
  const { height } = block.entry;
  const movements = movementsOf(block);
  readAhead(view, movements, height);
  const changed = new Map<string, { readonly script: Hash256; totals: ScriptTotals }>();
  for (const [i, { output, amount, spentBy }] of movements.entries()) {
    if (i % MOVEMENTS_AT_ONCE === 0) yield;
    const { script } = output;
    const id = byteText(script);
    const known = changed.get(id) ?? { script, totals: view.get(scriptTotals, script) ?? NONE };
    changed.set(id, known);
    if (amount) {
      view.putNew(scriptActivities, { ...output, type: 'vout' }, { ...amount, spentBy });
      view.putNew(scriptUnspents, output, amount);
      known.totals = withOutput(known.totals, amount);
    } else {
      const spent = requireUnspent(view, output);
      view.putNew(scriptActivities, { ...output, height, type: 'vin' }, { ...spent, spentBy });
      view.deleteKnown(scriptUnspents, output, spent);
      known.totals = withInput(known.totals, spent);
    }
  }
  for (const { script, totals } of changed.values()) view.put(scriptTotals, script, { ...totals, height });
};

/** Inputs and outputs in block order. Outputs that can never be spent have no part in it. */
function movementsOf({ block, entry, spent }: IndexedBlock): Movement[] {
  const { height } = entry;
  const idOf = scriptIds();
  return block.transactions.flatMap((tx, txno) => {
    const coins = spendsOutputs(tx) ? requireCoins(tx, spent[txno]) : [];
    const inputs = coins.map((coin, i): Movement => {
      const { txid, vout } = (tx.vin[i] as Transaction['vin'][number]).prevout;
      return { output: { script: idOf(coin.out.scriptPubKey), height: coin.height, txid, vout }, amount: undefined, spentBy: tx.txid };
    });
    const outputs = tx.vout.flatMap(({ value, scriptPubKey, tokenId }, vout): Movement[] => {
      if (isUnspendable(scriptPubKey)) return [];
      const amount = { value, tokenId: tx.version >= TX_VERSION_TOKENS ? tokenId : undefined };
      return [{ output: { script: idOf(scriptPubKey), height, txid: tx.txid, vout }, amount, spentBy: undefined }];
    });
    return [...inputs, ...outputs];
  });
}

function requireCoins<T>({ txid, vin }: Transaction, coins: readonly T[] | undefined): readonly T[] {
  if (coins?.length !== vin.length) throw new Error(`the coins that transaction ${formatHash(txid)} spent are not known`);
  return coins;
}

/** Ids of scripts, each computed once. */
function scriptIds(): (script: Uint8Array) => Hash256 {
  const known = new Map<string, Hash256>();
  return (script) => {
    const text = byteText(script);
    const id = known.get(text) ?? scriptId(script);
    known.set(text, id);
    return id;
  };
}

/** Reads the rows that the block changes by one batch for each column. An overlay keeps them. */
function readAhead(view: StateView, movements: readonly Movement[], height: number): void {
  view.getMany(scriptTotals, [...new Set(movements.map(({ output }) => output.script))]);
  const spent = movements.filter(({ amount, output }) => !amount && output.height < height);
  view.getMany(
    scriptUnspents,
    spent.map(({ output }) => output),
  );
}

function requireUnspent(view: WritableView, output: ScriptOutputKey): OutputAmount {
  const found = view.get(scriptUnspents, output);
  if (!found) throw new Error(`the index does not have output ${output.vout} of ${formatHash(output.txid)}`);
  return found;
}

function withOutput(totals: ScriptTotals, amount: OutputAmount): ScriptTotals {
  return { ...totals, received: totals.received + 1, receivedAmount: totals.receivedAmount + dfiOf(amount) };
}

function withInput(totals: ScriptTotals, amount: OutputAmount): ScriptTotals {
  return { ...totals, spent: totals.spent + 1, spentAmount: totals.spentAmount + dfiOf(amount) };
}

/** Totals are those of DFI; an output of another token is only counted. */
function dfiOf({ value, tokenId = 0 }: OutputAmount): bigint {
  return tokenId === 0 ? value : 0n;
}
