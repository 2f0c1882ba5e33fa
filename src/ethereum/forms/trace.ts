import type { TracedCall } from '../../evm/tracing/call-tracer.js';
import type { StructLog } from '../../evm/tracing/step-tracer.js';
import { toHex } from '../../util/bytes.js';
import { JsonNumber } from '../../util/json.js';
import { eachInSlices, type MaybePromise, mapInSlices, withValue } from '../../util/slicer.js';
import type { EthereumJson, EthereumObject } from '../json.js';
import type { EthereumCall } from '../method.js';
import type { Trace } from '../traces/trace.js';
import { formatAddress, formatBytes, formatQuantity, formatWord } from '../values.js';

const WORD_DIGITS = 64;

/** Arranges the members of an object, and of those in it. */
type Arrange = (object: EthereumObject) => EthereumObject;

/** A trace, made in slices. @see docs/protocol/evm-engine.md 10.9 */
export function traceForm(trace: Trace, call: EthereumCall, arrange: Arrange = (object) => object): MaybePromise<EthereumJson> {
  if (trace.kind !== 'steps') {
    if (trace.kind === 'calls') return nestedForm(trace.calls, arrange, call);
    return mapInSlices(trace.calls, (each) => arrange(flatForm(each)), call);
  }
  const { gas, isSuccess, output, logs } = trace;
  const steps = mapInSlices(logs, (step) => arrange(stepForm(step)), call);
  return withValue(steps, (structLogs) => ({
    ...arrange({ gas: formatQuantity(gas), failed: !isSuccess, returnValue: toHex(output) }),
    structLogs,
  }));
}

/** The trace of a transaction in the answer about a block: in `defid` the members of all objects are in the order of their names. */
export async function tracedForm(hash: Uint8Array, trace: Trace, call: EthereumCall): Promise<EthereumJson> {
  return { result: await traceForm(trace, call, byName), txHash: formatBytes(hash) };
}

function byName(object: EthereumObject): EthereumObject {
  const members = Object.entries(object).map(([name, value]) => [name, arranged(value)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function arranged(value: EthereumJson | undefined): EthereumJson | undefined {
  if (Array.isArray(value)) return value.map((item: EthereumJson) => arranged(item) as EthereumJson);
  return typeof value === 'object' && value !== null && !(value instanceof JsonNumber) ? byName(value as EthereumObject) : value;
}

function stepForm({ depth, gas, gasCost, memory, op, pc, stack, storage }: StructLog): EthereumObject {
  return {
    depth,
    gas: new JsonNumber(String(gas)),
    gasCost: new JsonNumber(String(gasCost)),
    memory: memory && memoryWords(memory),
    op,
    pc,
    stack: stack?.map(digits),
    storage: storage && Object.fromEntries(storage.map(([slot, value]) => [formatWord(slot), formatWord(value)])),
  };
}

/** Words of 32 bytes; zeros are put in front of a shorter last one. */
function memoryWords(memory: Uint8Array): readonly string[] {
  const hex = toHex(memory);
  return Array.from({ length: Math.ceil(hex.length / WORD_DIGITS) }, (_, i) =>
    hex.slice(i * WORD_DIGITS, (i + 1) * WORD_DIGITS).padStart(WORD_DIGITS, '0'),
  );
}

function digits(word: bigint): string {
  return word.toString(16).padStart(WORD_DIGITS, '0');
}

/** A call whose calls are added later. */
interface NestedForm {
  [name: string]: EthereumJson | undefined;
  calls?: EthereumJson[];
}

/** Calls as a tree, made in slices: the gas of a block pays for more than a hundred thousand. @param calls in the order of their beginning */
function nestedForm(calls: readonly TracedCall[], arrange: Arrange, call: EthereumCall): MaybePromise<EthereumObject> {
  /** The last call of each depth. */
  const last: NestedForm[] = [];
  const add = (each: TracedCall): void => {
    const form = arrange({ ...callForm(each), calls: undefined }) as NestedForm;
    const depth = each.path.length;
    last[depth] = form;
    const parent = last[depth - 1];
    if (parent?.calls) parent.calls.push(form);
    else if (parent) parent.calls = [form];
  };
  return withValue(eachInSlices(calls, add, call), () => last[0] ?? {});
}

function callForm({ kind, from, to, value, input, gas, gasUsed, error, output }: TracedCall): EthereumObject {
  const head = { from: formatAddress(from), gas: formatQuantity(gas), gasUsed: formatQuantity(gasUsed), type: kind.toUpperCase() };
  if (kind === 'selfdestruct') return { ...head, to: formatAddress(to), value: formatQuantity(value) };
  const result = error === undefined ? { output: formatBytes(output) } : { error };
  if (kind !== 'create') return { ...head, to: formatAddress(to), input: formatBytes(input), ...result, value: formatQuantity(value) };
  const address = error === undefined ? formatAddress(to) : undefined;
  return { ...head, input: formatBytes(input), to: address, ...result, value: formatQuantity(value) };
}

/** A call in the form that Blockscout reads. */
function flatForm({ kind, from, to, value, input, gas, gasUsed, path, error, output }: TracedCall): EthereumObject {
  const isDestruction = kind === 'selfdestruct';
  const head = {
    from: formatAddress(from),
    traceAddress: path,
    value: formatQuantity(isDestruction ? 0n : value),
    gas: formatQuantity(gas),
    gasUsed: formatQuantity(gasUsed),
  };
  if (isDestruction) return { ...head, type: 'selfdestruct', to: formatAddress(to) };
  if (kind === 'create') {
    const result =
      error === undefined ? { createdContractAddressHash: formatAddress(to), createdContractCode: formatBytes(output) } : { error };
    return { ...head, type: 'create', init: formatBytes(input), ...result };
  }
  const result = error === undefined ? { output: formatBytes(output) } : { error };
  return { ...head, type: 'call', callType: kind, to: formatAddress(to), input: formatBytes(input), ...result };
}
