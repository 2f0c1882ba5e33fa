import type { ImportRequest, ImportResult } from '../../../../gen/ts/dfi/wallet/v1/records.js';
import type { ImportMultiRequest, ImportMultiResponse } from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { TIMESTAMP_WINDOW_SEC } from '../../../consensus/limits.js';
import { rawJson } from '../../../rpc/bind.js';
import { statusOf, toNodeError } from '../../../rpc/errors.js';
import type { Handler } from '../../../rpc/handler.js';
import { asInteger, INT64 } from '../../../rpc/scalars.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { JsonNumber, JsonObject, kindOf } from '../../../util/json.js';
import { Slicer, type Steps } from '../../../util/slicer.js';
import { storeImport } from '../../../wallet/import-export/import-multi.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { strictFlag } from '../../format/options-object.js';
import { type WalletModules, walletOf } from '../modules.js';
import { isGiven, readImport, refuseNull } from './import-reading.js';

const NO_TIME = new NodeError('type', 'Missing required timestamp field for key');
/** Smallest creation time of keys: 0 means unknown. */
const LEAST_TIME = 1;

/** @see docs/protocol/wallet.md 3.23 */
export const importMulti: Handler<WalletModules, ImportMultiRequest, ImportMultiResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { chain } = modules;
  const { requests } = request;
  const release = (strictFlag(request, 'rescan') ?? true) ? wallet.rescan.reserve() : undefined;
  try {
    const { times, results } = await wallet.keyChanges.run(async (unloaded) => {
      // A client that disconnects does not end the import: without the scan after it, the coins of the keys would stay unknown.
      const slicer = new Slicer(unloaded);
      wallet.keys.requireUnlocked();
      const now = chain.tip.medianTimePast();
      const times = await slicer.run(readTimes(requests, now));
      try {
        return { times, results: await slicer.run(importAll(wallet, requests, times)) };
      } finally {
        wallet.commit();
      }
    });
    if (release && results.some(({ success }) => success)) {
      await rescan(wallet, earliest(times, chain.tip.time), results, times);
      wallet.resubmit();
    }
    return { results };
  } finally {
    release?.();
  }
};

function* readTimes(requests: readonly ImportRequest[], now: number): Steps<number[]> {
  const times: number[] = [];
  for (const request of requests) {
    times.push(Math.max(readTime(request, now), LEAST_TIME));
    yield;
  }
  return times;
}

function* importAll(wallet: Wallet, requests: readonly ImportRequest[], times: readonly number[]): Steps<ImportResult[]> {
  const results: ImportResult[] = [];
  for (const [i, request] of requests.entries()) {
    results.push(yield* importOne(wallet, request, times[i] ?? LEAST_TIME));
    yield;
  }
  return results;
}

function earliest(times: readonly number[], tip: number): number {
  return times.reduce((least, time) => Math.min(least, time), tip);
}

/** Creation time of a request, in seconds since 1970. @throws {NodeError} if it is missing; then nothing is imported */
function readTime(request: ImportRequest, now: number): number {
  const whole = rawJson(request);
  if (whole !== undefined && !(whole instanceof JsonObject)) throw NO_TIME;
  const json = rawJson(request, 'timestamp');
  if (json instanceof JsonNumber) return Number(asInteger(json, INT64.least, INT64.most));
  if (json === 'now') return now;
  if (json !== undefined) {
    throw new NodeError('type', `Expected number or "now" timestamp value for key. got type ${kindOf(json)}`);
  }
  const form = request.timestamp?.form;
  if (!form) throw NO_TIME;
  if (form.$case === 'time') return Number(form.value);
  if (form.value !== 'now') throw new NodeError('type', 'Expected number or "now" timestamp value for key. got type string');
  return now;
}

function* importOne(wallet: Wallet, request: ImportRequest, createdAt: number): Steps<ImportResult> {
  let warnings: readonly string[] = [];
  try {
    const internal = strictFlag(request, 'internal') ?? false;
    if (internal && isGiven(request, 'label')) throw invalidParameter('Internal addresses should not have a label');
    refuseNull(request, 'label');
    const label = request.label ?? '';
    const keypool = strictFlag(request, 'keypool') ?? false;
    if (keypool && !wallet.privateKeysDisabled) {
      throw invalidParameter('Keys can only be imported to the keypool when private keys are disabled');
    }
    const reading = yield* readImport(wallet, request, internal);
    warnings = reading.warnings;
    yield* storeImport(wallet, reading.data, { createdAt, internal, label, keypool });
    return { success: true, error: undefined, warnings: listOf(warnings) };
  } catch (thrown) {
    return { success: false, error: formatError(thrown), warnings: listOf(warnings) };
  }
}

function listOf(warnings: readonly string[]): ImportResult['warnings'] {
  return warnings.length > 0 ? { texts: [...warnings] } : undefined;
}

/** Error of a request. Members of a wrong type count as missing. */
function formatError(thrown: unknown): { readonly code: number; readonly message: string } {
  const error = toNodeError(thrown);
  if (error.kind === 'json-type' || error.kind === 'unexpected') return { code: -1, message: 'Missing required fields' };
  return { code: statusOf[error.kind].jsonRpc, message: error.message };
}

/** Rescans for the imports, and reports the imports that an unreadable block may affect. */
async function rescan(wallet: Wallet, time: number, results: ImportResult[], times: readonly number[]): Promise<void> {
  const start = wallet.rescan.startFor(time);
  if (!start) return;
  const { status, failedAt } = await wallet.rescan.run(start);
  wallet.commit();
  if (status === 'aborted') throw new NodeError('misc', 'Rescan aborted by user.');
  if (status !== 'failure' || !failedAt) return;
  const unread = failedAt.time + TIMESTAMP_WINDOW_SEC + 1;
  results.forEach((result, i) => {
    const createdAt = times[i] ?? LEAST_TIME;
    if (!result.success || createdAt >= unread) return;
    const message =
      `Rescan failed for key with creation timestamp ${createdAt}. There was an error reading a block from time ` +
      `${unread - TIMESTAMP_WINDOW_SEC - 1}, which is after or within ${TIMESTAMP_WINDOW_SEC} seconds of key creation, and could ` +
      'contain transactions pertaining to the key. As a result, transactions and coins using this key may not appear in the wallet. ' +
      'This error could be caused by pruning or data corruption (see defid log for details) and could be dealt with by downloading ' +
      'and rescanning the relevant blocks (see -reindex and -rescan options).';
    results[i] = { ...result, success: false, error: { code: -1, message } };
  });
}
