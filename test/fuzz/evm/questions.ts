import { wordBytes } from '../../../src/evm/words.js';
import { toHex } from '../../../src/util/bytes.js';
import type { Question } from '../calls/node-client.js';
import { CodeWriter, Op } from './code-writer.js';
import { type Scenario, scenarioOf } from './scenario.js';

/** Contract that calls the program. */
const OBSERVER = 0xdddd11n;
const OBSERVER_GAS = 2_000_000n;
const ESTIMATE_GAS = 1_000_000n;
const FUNDS = 10n ** 18n;
const WORD = 32n;
/** One of so many programs is also estimated and traced. */
const RARE = 5;

/** Questions to the Ethereum port about a scenario, whose accounts override those of the chain. */
export function questionsOf(number: number): readonly Question[] {
  const scenario = scenarioOf(number);
  const { message } = scenario;
  const state = overrides(scenario);
  const call = {
    from: address(message.from),
    ...(message.to === undefined ? {} : { to: address(message.to) }),
    value: quantity(message.value),
    gas: quantity(message.gasLimit),
    data: `0x${toHex(message.data)}`,
    accessList: message.accessList.map((item) => ({ address: address(item.address), storageKeys: item.keys.map(word) })),
  };
  const questions: Question[] = [['eth_call', call, 'latest', state]];
  if (message.to !== undefined) {
    const observer = { nonce: '0x1', balance: quantity(FUNDS), code: `0x${toHex(observerOf({ ...message, to: message.to }))}` };
    const observed = { from: call.from, to: address(OBSERVER), gas: quantity(OBSERVER_GAS) };
    questions.push(['eth_call', observed, 'latest', { ...state, [address(OBSERVER)]: observer }]);
  }
  if (number % RARE > 0) return questions;
  const estimated: Question = ['eth_estimateGas', { ...call, gas: quantity(ESTIMATE_GAS) }, 'latest', state];
  const traced = TRACES.map((options): Question => ['debug_traceCall', call, 'latest', options, state]);
  return [...questions, estimated, ...traced];
}

/** Options of traces: of all steps, of steps without what makes them long, of calls. */
const TRACES = [null, { disableMemory: true, disableStack: true, disableStorage: true }, { tracer: 'callTracer' }] as const;

function overrides({ accounts }: Scenario) {
  const entries = [...accounts].map(([at, { nonce, balance, code, storage }]) => {
    const slots = Object.fromEntries([...storage].map(([slot, value]) => [word(slot), word(value)]));
    return [address(at), { nonce: quantity(nonce), balance: quantity(balance), code: `0x${toHex(code)}`, state: slots }];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, object>>;
}

/** Code that sends a message, and returns the gas that is left then, the success, and the output. */
function observerOf({ to, value, gasLimit, data }: Scenario['message'] & { readonly to: bigint }): Uint8Array {
  const code = new CodeWriter([]);
  code.store(0, data);
  for (const operand of [0n, 0n, BigInt(data.length), 0n, value, to, gasLimit]) code.push(operand);
  code.op(Op.call, -6);
  code.op(Op.gas, 1);
  for (const offset of [0n, WORD]) {
    code.push(offset);
    code.op(Op.mstore, -2);
  }
  copyOutput(code);
  code.op(RETURNDATASIZE, 1);
  code.push(2n * WORD);
  code.op(Op.add, -1);
  code.push(0n);
  code.op(Op.return, -2);
  return code.code;
}

const RETURNDATASIZE = 0x3d;

function copyOutput(code: CodeWriter): void {
  code.op(RETURNDATASIZE, 1);
  code.push(0n);
  code.push(2n * WORD);
  code.op(Op.returndatacopy, -3);
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}

function word(value: bigint): string {
  return `0x${toHex(wordBytes(value))}`;
}

function address(value: bigint): string {
  return `0x${toHex(wordBytes(value).subarray(12))}`;
}
