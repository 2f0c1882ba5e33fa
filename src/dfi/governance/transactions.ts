import { isActive } from '../../params/network.js';
import { type ByteReader, type Codec, compactSize, list, struct, u32 } from '../../primitives/codec.js';
import { type MessageAttributes, storedAttributes, valueAs } from '../attributes/attributes.js';
import { ATTRIBUTES_SINCE_METACHAIN } from '../attributes/eras.js';
import { isFeatureOn } from '../attributes/features.js';
import { attributeAt, parsePath } from '../attributes/path.js';
import { hasFoundationAuth, hasGovernanceAuth, requireFoundationAuth, requireFoundationOrGovernance } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { unsigned } from '../kernel/math.js';
import { prefixRejection, TxRejected } from '../kernel/rejected.js';
import { byteString } from '../kernel/text.js';
import { priceInterval } from '../oracles/fixed-prices.js';
import {
  changeAttributes,
  checkAttributesAlone,
  checkGivenAttributes,
  dropAttributeFees,
  isFoundationsOwn,
  tryChangeAt,
  unsetAttributes,
} from './change-attributes.js';
import { pendingRemovals, pendingVariables } from './columns.js';
import { checkVariable, setVariable, unsetVariable } from './rules.js';
import { inTableOrder } from './variable-order.js';
import { encodeVariable, isVariableName, readVariable, storedVariable, storeVariable, type Variable, writeVariable } from './variables.js';

/** Variable in a message, or an unknown name. */
export type GivenVariable = Variable | { readonly name: string; readonly value?: undefined };

function readGiven(r: ByteReader): GivenVariable {
  const name = byteString.read(r);
  return isVariableName(name) ? readVariable(r, name) : { name };
}

function isKnown(given: GivenVariable): given is Variable {
  return isVariableName(given.name);
}

function notRegistered(name: string): TxRejected {
  return new TxRejected(`'${name}': variable does not registered`);
}

function requireKnown(given: GivenVariable): Variable {
  if (!isKnown(given)) throw notRegistered(given.name);
  return given;
}

/** Names and values up to the end; of equal names the last counts. Reading stops at an unknown name, whose value has no known length. */
const givenVariables: Codec<readonly GivenVariable[]> = {
  write(w, values) {
    for (const given of values) {
      byteString.write(w, given.name);
      if (isKnown(given)) writeVariable(w, given);
    }
  },
  read(r) {
    const found = new Map<string, GivenVariable>();
    while (r.remaining > 0) {
      const given = readGiven(r);
      found.set(given.name, given);
      if (!isKnown(given)) break;
    }
    return [...found.values()];
  },
};

/** @see docs/protocol/oracles-governance.md 3.6 */
export const setGovVariable = customTx<readonly GivenVariable[]>({
  type: 'G',
  name: 'SetGovVariable',
  since: 'bayfront',
  codec: givenVariables,
  apply(context, given) {
    requireFoundationAuth(context);
    for (const each of inTableOrder(given)) setNow(context, requireKnown(each));
  },
});

function setNow(context: TxContext, variable: Variable): void {
  const { view, height, params } = context;
  if (variable.name === 'ATTRIBUTES') {
    checkGivenAttributes(variable.value, context);
    changeAttributes(context, variable.value);
    return;
  }
  prefixRejection(variable.name, () => checkVariable(context, variable));
  const interval = priceInterval(view, params);
  // A new interval takes effect at the next price block of the old one, so that fixed prices keep their schedule.
  if (variable.name === 'ORACLE_BLOCK_INTERVAL' && height % interval !== 0) {
    const boundary = height + interval - (height % interval);
    view.put(pendingVariables, { height: boundary, name: variable.name }, encodeVariable(variable));
  } else setVariable(context, variable);
}

export interface SetGovVariableHeight {
  readonly variable: GivenVariable;
  readonly startHeight: number;
}

/** @see docs/protocol/oracles-governance.md 3.7 */
export const setGovVariableHeight = customTx<SetGovVariableHeight>({
  type: 'j',
  name: 'SetGovVariableHeight',
  since: 'fortCanning',
  codec: {
    write(w, { variable, startHeight }) {
      byteString.write(w, variable.name);
      if (!isKnown(variable)) return;
      writeVariable(w, variable);
      u32.write(w, startHeight);
    },
    /** As in `defid`, the height is 0 without a variable, and after an unknown name, because the length of its value is unknown. */
    read(r) {
      if (r.remaining === 0) return { variable: { name: '' }, startHeight: 0 };
      const variable = readGiven(r);
      return { variable, startHeight: isKnown(variable) ? u32.read(r) : 0 };
    },
  },
  apply(context, { variable: given, startHeight }) {
    const { view } = context;
    requireFoundationOrGovernance(context);
    requireLater(context, startHeight, 'startHeight');
    const variable = requireKnown(given);
    if (variable.name === 'ORACLE_BLOCK_INTERVAL') throw new TxRejected('ORACLE_BLOCK_INTERVAL: Cannot set via setgovheight.');
    checkForLater(context, variable, startHeight);
    view.put(pendingVariables, { height: startHeight, name: variable.name }, encodeVariable(variable));
  },
});

const MIN_BLOCKS = attributeAt('v0/params/governance/govheight_min_blocks');

function requireLater({ view, height }: TxContext, later: number, what: string): void {
  if (later <= height) throw new TxRejected(`${what} must be above the current block height`);
  const least = valueAs(storedAttributes(view), MIN_BLOCKS, 'u64') ?? 0n;
  // In 64 bits as in `defid`: with a large enough minimum the sum wraps around.
  if (BigInt(later) <= unsigned(BigInt(height) + least)) throw new TxRejected(`Height must be ${least} blocks above the current height`);
}

function checkForLater(context: TxContext, variable: Exclude<Variable, { name: 'ORACLE_BLOCK_INTERVAL' }>, startHeight: number): void {
  if (variable.name !== 'ATTRIBUTES') {
    prefixRejection(variable.name, () => checkVariable(context, variable));
    return;
  }
  checkGivenAttributes(variable.value, context);
  if (isActive(context.params, 'metachain', context.height)) requireAuthFor(context, variable.value);
  if (isActive(context.params, 'fortCanningCrunch', context.height)) tryChangeAt(context, variable.value, startHeight);
  else checkAttributesAlone(context, variable.value);
}

function requireAuthFor(context: TxContext, given: MessageAttributes): void {
  if (given.length === 0) throw new TxRejected('No keys to check in attribute map');
  const isFoundation = hasFoundationAuth(context);
  const isAllowed = isFoundation || hasGovernanceAuth(context);
  for (const { key } of given) {
    if (key && isFoundationsOwn(key) && !isFoundation) throw new TxRejected('Foundation cannot be modified by governance');
    if (!isAllowed) throw new TxRejected('Invalid authentication');
  }
}

/** Keys to unset, by the variable's name. */
export type Removals = readonly { readonly name: string; readonly keys: readonly string[] }[];

const texts = list(byteString);

/** Count, then names and keys, sorted by name when read; of equal names the first counts. */
const removals: Codec<Removals> = {
  write(w, values) {
    compactSize.write(w, values.length);
    for (const { name, keys } of values) {
      byteString.write(w, name);
      texts.write(w, keys);
    }
  },
  read(r) {
    const found = new Map<string, readonly string[]>();
    for (let left = compactSize.read(r); left > 0; left--) {
      const name = byteString.read(r);
      const keys = texts.read(r);
      if (!found.has(name)) found.set(name, keys);
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, keys]) => ({ name, keys }));
  },
};

/** @see docs/protocol/oracles-governance.md 3.9 */
export const unsetGovVariable = customTx<Removals>({
  type: 'Z',
  name: 'UnsetGovVariable',
  since: 'grandCentral',
  codec: removals,
  apply(context, values) {
    requireFoundationAuth(context);
    requireUnsetting(context);
    for (const { name, keys } of values) unsetNow(context, name, keys);
  },
});

function requireUnsetting({ view }: TxContext): void {
  if (!isFeatureOn(view, 'gov-unset')) throw new TxRejected('Unset Gov variables not currently enabled in attributes.');
}

function unsetNow(context: TxContext, name: string, keys: readonly string[]): void {
  if (!isVariableName(name)) throw notRegistered(name);
  prefixRejection(name, () => {
    if (name === 'ATTRIBUTES') unsetAttributes(context, keys);
    else unsetVariable(context, name, keys);
  });
}

export interface UnsetGovVariableHeight {
  readonly removals: Removals;
  readonly unsetHeight: number;
}

/** @see docs/protocol/oracles-governance.md 3.9 */
export const unsetGovVariableHeight = customTx<UnsetGovVariableHeight>({
  type: '-',
  name: 'UnsetGovHeightVariable',
  since: 'df24',
  codec: struct<UnsetGovVariableHeight>({ removals, unsetHeight: u32 }),
  apply(context, { removals: values, unsetHeight }) {
    const { view } = context;
    requireFoundationOrGovernance(context);
    requireUnsetting(context);
    requireLater(context, unsetHeight, 'unsetHeight');
    for (const { name, keys } of values) {
      if (name === 'ATTRIBUTES') requireAuthForPaths(context, keys);
      dropEffects(context, name, keys);
      const at = { height: unsetHeight, name };
      if (!view.has(pendingRemovals, at)) view.put(pendingRemovals, at, keys);
    }
  },
});

/**
 * Undoes the effects of the keys immediately, while the variable itself stays until the unset height: `defid` does its trial of the unset on
 * the live state.
 * @throws {TxRejected}
 */
function dropEffects(context: TxContext, name: string, keys: readonly string[]): void {
  if (!isVariableName(name)) throw notRegistered(name);
  prefixRejection(name, () => {
    if (name === 'ATTRIBUTES') {
      dropAttributeFees(context, keys);
      return;
    }
    const stored = storedVariable(context.view, name);
    unsetVariable(context, name, keys);
    if (stored) storeVariable(context.view, stored);
  });
}

function requireAuthForPaths(context: TxContext, paths: readonly string[]): void {
  if (paths.length === 0) throw new TxRejected('No keys to check');
  const isFoundation = hasFoundationAuth(context);
  for (const path of paths) {
    const key = parsePath(path, ATTRIBUTES_SINCE_METACHAIN);
    if (key && isFoundationsOwn(key) && !isFoundation) throw new TxRejected('Foundation cannot be modified by governance');
  }
}

/** Drops every change that waits for its height. */
export const clearGovHeights = customTx<Record<string, never>>({
  type: '+',
  name: 'ClearGovHeights',
  since: 'df24',
  codec: struct<Record<string, never>>({}),
  apply(context) {
    const { view } = context;
    requireFoundationOrGovernance(context);
    for (const [key] of [...view.entries(pendingVariables)]) view.delete(pendingVariables, key);
    for (const [key] of [...view.entries(pendingRemovals)]) view.delete(pendingRemovals, key);
  },
});

/** Custom transactions on governance variables. */
export const governanceTypes: readonly AnyCustomTx[] = [
  setGovVariable,
  setGovVariableHeight,
  unsetGovVariable,
  unsetGovVariableHeight,
  clearGovHeights,
];
