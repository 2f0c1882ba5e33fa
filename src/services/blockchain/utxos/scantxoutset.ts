import type {
  ScannedOutput,
  ScanResult,
  ScanTxOutSetRequest,
  ScanTxOutSetResponse,
} from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { formatHash } from '../../../primitives/hash.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { toHex } from '../../../util/bytes.js';
import { invalidParameter } from '../../../util/errors.js';
import type { BlockchainModules } from '../modules.js';
import { KnownScans } from './known-scans.js';
import { type FoundOutput, OutputScan, type ScanOutcome } from './output-scan.js';
import { readScanObjects } from './scan-objects.js';

type Chain = Pick<BlockchainModules['chain'], 'params' | 'snapshot' | 'tip'>;
type Modules = Pick<BlockchainModules, 'report'> & { readonly chain: Chain };
type Result = NonNullable<ScanTxOutSetResponse['result']>;

/** Running scan of each chain. Only one at a time, because each keeps a snapshot of the state alive. */
const running = new WeakMap<Chain, OutputScan>();
/** Outcomes of each chain for calls that are repeated at the same tip. */
const known = new WeakMap<Chain, KnownScans>();

export const scanTxOutSet: Handler<Modules, ScanTxOutSetRequest, ScanTxOutSetResponse> = async ({ chain, report }, request, call) => {
  const scan = running.get(chain);
  switch (request.action) {
    case 'status':
      return { result: scan && { $case: 'status', value: { progress: scan.progress } } };
    case 'abort':
      scan?.abort();
      return { result: { $case: 'aborted', value: scan !== undefined } };
    case 'start':
      if (scan) throw invalidParameter('Scan already in progress, use action "abort" or "status"');
      return { result: await start({ chain, report }, request, call) };
    default:
      throw invalidParameter('Invalid command');
  }
};

async function start({ chain, report }: Modules, request: ScanTxOutSetRequest, call: CallContext): Promise<Result> {
  const scan = new OutputScan(report);
  running.set(chain, scan);
  try {
    const descriptors = await readScanObjects(request, chain.params, scan, call);
    return { $case: 'scan', value: await search(chain, scan, descriptors, call) };
  } finally {
    running.delete(chain);
  }
}

/** @param descriptors descriptor by script in hex */
async function search(chain: Chain, scan: OutputScan, descriptors: ReadonlyMap<string, string>, call: CallContext): Promise<ScanResult> {
  const { complete, searched, found } = await outcomeOf(chain, scan, descriptors, call);
  return {
    success: complete,
    searchedItems: BigInt(searched),
    unspents: found.map((output) => formatOutput(output, descriptors)),
    totalAmount: found.reduce((sum, { coin }) => sum + coin.out.value, 0n),
  };
}

/** The known outcome, or that of a scan of a snapshot, which is closed afterwards. */
async function outcomeOf(
  chain: Chain,
  scan: OutputScan,
  descriptors: ReadonlyMap<string, string>,
  call: CallContext,
): Promise<ScanOutcome> {
  const scans = known.get(chain) ?? new KnownScans();
  known.set(chain, scans);
  const { tip } = chain;
  const scripts = [...descriptors.keys()];
  const before = scans.get(tip, scripts);
  if (before && !scan.aborted) return before;
  const snapshot = chain.snapshot();
  try {
    const outcome = await scan.run(snapshot, scripts, call);
    if (outcome.complete) scans.set(tip, scripts, outcome);
    return outcome;
  } finally {
    snapshot.close();
  }
}

function formatOutput({ point, coin }: FoundOutput, descriptors: ReadonlyMap<string, string>): ScannedOutput {
  const scriptpubkey = toHex(coin.out.scriptPubKey);
  return {
    txid: formatHash(point.txid),
    vout: point.vout,
    scriptpubkey,
    desc: descriptors.get(scriptpubkey) ?? '',
    amount: coin.out.value,
    height: coin.height,
  };
}
