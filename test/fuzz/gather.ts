/**
 * Collects first inputs for decoders: `node --import tsx test/fuzz/gather.ts`. Replays the recordings, and saves matching bytes in the
 * corpus of each decoder that has no valid input yet.
 */
import { appendFileSync } from 'node:fs';
import { MemoryBlocks } from '../../src/chain/block-store.js';
import { Chain } from '../../src/chain/chain.js';
import { block as blockCodec } from '../../src/primitives/block.js';
import { decode } from '../../src/primitives/codec.js';
import { markerPayload } from '../../src/script/marker.js';
import { keyBytes } from '../../src/storage/cells.js';
import { MemoryStore } from '../../src/storage/memory.js';
import type { RowChange } from '../../src/storage/view.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { FixedClock } from '../../src/util/clock.js';
import { silentLogger } from '../../src/util/logger.js';
import { paramsOfFlags } from '../chains/recorded-chain.js';
import { type RecordedAnswer, readRecording, recordings } from '../shared.js';
import { columnDecoderName } from './column-name.js';
import { customDecoderNames, decoders } from './decoders.js';
import { corpusPath, isDecoded, seedsOf } from './fuzz.js';

/** Inputs of different sizes cover more than many similar ones. */
const SAMPLES = 4;
const MAX_SAMPLE_BYTES = 2_000;
const MAX_CALL_BYTES = 300;

const wanting = new Map(
  decoders.filter((decoder) => !seedsOf(decoder).some((seed) => isDecoded(decoder, seed))).map((each) => [each.name, each]),
);
const found = new Map<string, Map<number, Uint8Array>>();
const callsOf = new Map<string, Uint8Array>();

function offer(name: string, bytes: Uint8Array): void {
  const decoder = wanting.get(name);
  if (!decoder || bytes.length > MAX_SAMPLE_BYTES) return;
  const samples = found.get(name) ?? new Map<number, Uint8Array>();
  if (samples.size >= SAMPLES || samples.has(bytes.length) || !isDecoded(decoder, bytes)) return;
  found.set(name, samples.set(bytes.length, Uint8Array.from(bytes)));
}

/** A store that exposes the rows that are written to it. */
class OfferingStore extends MemoryStore {
  override writeRows(rows: readonly RowChange[]): void {
    for (const { column, key, cell } of rows) {
      offer(columnDecoderName(column, 'key'), keyBytes(key));
      if (cell) offer(columnDecoderName(column, 'value'), cell.bytes());
    }
    super.writeRows(rows);
  }
}

function offerTransactions(bytes: Uint8Array, { txFormat }: Chain['params']): void {
  for (const { vout, raw } of decode(blockCodec(txFormat), bytes).transactions) {
    offer('transaction-without-witness', raw);
    for (const { scriptPubKey } of vout) {
      offer('script', scriptPubKey);
      const payload = markerPayload(scriptPubKey, 'DfTx')?.payload;
      if (payload) for (const name of customDecoderNames(payload[0] as number)) offer(name, payload.subarray(1));
    }
  }
}

const ALL_PATHS = /v0\/[a-z]+\/[a-z0-9]+\/[a-z0-9_]+(?:\/\d+)?/g;

/** One call of each method; texts of its parameters and answer are offered to other decoders. */
function offerAnswer({ method, params, result = '' }: RecordedAnswer): void {
  const body = JSON.stringify({ jsonrpc: '1.0', id: 1, method, params });
  if (!callsOf.has(method) && body.length <= MAX_CALL_BYTES) callsOf.set(method, Buffer.from(body));
  const text = JSON.stringify(params) + result;
  for (const [path] of text.matchAll(ALL_PATHS)) offer('attribute-path', Buffer.from(path));
  for (const [base64] of text.matchAll(/cHNidP[A-Za-z0-9+/=]+/g)) {
    offer('psbt-text', Buffer.from(base64));
    offer('psbt', Buffer.from(base64, 'base64'));
  }
}

for (const path of ['state', 'calls', 'finance', 'base'].flatMap(recordings)) {
  const { header, steps } = readRecording(path);
  const clock = new FixedClock(1_579_045_065);
  const params = paramsOfFlags(header.flags);
  const chain = new Chain(
    { params, accountHistory: true, vaultHistory: true },
    { store: new OfferingStore(), blocks: new MemoryBlocks(), clock, log: silentLogger },
  );
  for (const step of steps) {
    if ('answers' in step) for (const answer of step.answers) offerAnswer(answer);
    if (!('hex' in step)) continue;
    clock.set(step.time);
    const bytes = fromHex(step.hex);
    offerTransactions(bytes, params);
    chain.submitBlock(bytes);
    // Flushes every block separately, so that rows that exist for a few blocks only are seen as well.
    chain.snapshot().close();
  }
}

if (wanting.has('json-rpc')) found.set('json-rpc', new Map([...callsOf.values()].map((call, i) => [i, call])));

for (const [name, samples] of found) {
  for (const sample of samples.values()) appendFileSync(corpusPath(name), `${toHex(sample)}\n`);
  console.log(`${name}: ${samples.size}`);
}
for (const name of wanting.keys()) if (!found.has(name)) console.log(`${name}: nothing found`);
