import type { MethodDefinition } from '@grpc/grpc-js';
import type { Operation } from '../rpc/catalogue.js';
import type { CallContext } from '../rpc/handler.js';
import { propertyName } from '../rpc/names.js';
import { entriesOf, type Message, SHORT_VALUES, Weights } from '../rpc/weight.js';
import { type MaybePromise, Slicer } from '../util/slicer.js';

/** A response that is bytes already. */
export class Encoded {
  constructor(readonly bytes: Buffer) {}
}

type Method = Pick<MethodDefinition<unknown, unknown>, 'responseSerialize' | 'responseDeserialize'>;

/** Elements of a list or a map that are encoded at once. */
const ELEMENTS_AT_ONCE = 64;

/**
 * Encodes long responses in slices, as far as they are lists and maps of the response itself: their parts are encoded one by one, and
 * one after the other they are the whole.
 * @returns the response as it is where it is short
 */
export function encoderOf(op: Operation, method: Method): (response: unknown, call: Pick<CallContext, 'signal'>) => MaybePromise<unknown> {
  const weigh = new Weights(op.options).message(op.output);
  if (!weigh) return (response) => response;
  return (response, call) =>
    weigh(response, SHORT_VALUES) < 0 ? encode(op, method, response as Message, new Slicer(call.signal)) : response;
}

async function encode(op: Operation, method: Method, response: Message, slicer: Slicer): Promise<Encoded> {
  const empty = method.responseDeserialize(Buffer.alloc(0)) as Message;
  const parts: Buffer[] = [];
  for (const part of partsOf(op, response)) {
    parts.push(method.responseSerialize({ ...empty, ...part }));
    const paused = slicer.pause();
    if (paused) await paused;
  }
  return new Encoded(Buffer.concat(parts));
}

/** Messages with a part of the response each, in the order of encoding. */
function* partsOf(op: Operation, response: Message): Generator<Message, void> {
  for (const member of op.output.members) {
    const property = propertyName(member);
    const value = response[property];
    if (member.kind === 'field' && member.fieldKind === 'map') {
      for (const entries of inParts([...entriesOf(value)])) yield { [property]: Object.fromEntries(entries as [string, unknown][]) };
      // Numbers in a list are one record.
    } else if (member.kind === 'field' && member.fieldKind === 'list' && !member.packed) {
      for (const values of inParts(value as readonly unknown[])) yield { [property]: values };
    } else yield { [property]: value };
  }
}

function* inParts<T>(values: readonly T[]): Generator<readonly T[], void> {
  for (let at = 0; at < values.length; at += ELEMENTS_AT_ONCE) yield values.slice(at, at + ELEMENTS_AT_ONCE);
}
