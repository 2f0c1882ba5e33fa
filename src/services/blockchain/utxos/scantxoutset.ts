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
import { type FoundOutput, OutputScan } from './output-scan.js';
import { readScanObjects } from './scan-objects.js';

type Chain = Pick<BlockchainModules['chain'], 'params' | 'snapshot'>;
type Modules = Pick<BlockchainModules, 'report'> & { readonly chain: Chain };
type Result = NonNullable<ScanTxOutSetResponse['result']>;

/** Running scan of each chain. Only one at a time, because each keeps a snapshot of the state alive. */
const running = new WeakMap<Chain, OutputScan>();

export const scanTxOutSet: Handler<Modules, ScanTxOutSetRequest, ScanTxOutSetResponse> = async ({ chain, report }, request, call) => {
  const scan = running.get(chain);
  switch (request.action) {
    case 'status':
      call.isMomentary = true;
      return { result: scan && { $case: 'status', value: { progress: scan.progress } } };
    case 'abort':
      call.isMomentary = true;
      scan?.abort();
      return { result: { $case: 'aborted', value: scan !== undefined } };
    case 'start':
      if (scan) {
        call.isMomentary = true;
        throw invalidParameter('Scan already in progress, use action "abort" or "status"');
      }
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

/** Scans a snapshot, which is closed afterwards. @param descriptors descriptor by script in hex */
async function search(chain: Chain, scan: OutputScan, descriptors: ReadonlyMap<string, string>, call: CallContext): Promise<ScanResult> {
  const snapshot = chain.snapshot();
  try {
    const { complete, searched, found } = await scan.run(snapshot, descriptors.keys(), call);
    // Ended by another call.
    if (!complete) call.isMomentary = true;
    return {
      success: complete,
      searchedItems: BigInt(searched),
      unspents: found.map((output) => formatOutput(output, descriptors)),
      totalAmount: found.reduce((sum, { coin }) => sum + coin.out.value, 0n),
    };
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
