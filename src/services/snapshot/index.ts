import { isAbsolute } from 'node:path';
import type { ExportSnapshotRequest, ExportSnapshotResponse, SnapshotServiceServer } from '../../../gen/ts/dfi/node/v1/snapshot.js';
import { formatHash } from '../../primitives/hash.js';
import type { Handler, Handlers } from '../../rpc/handler.js';
import { formatDigest } from '../../snapshot/digest.js';
import { SnapshotError } from '../../snapshot/errors.js';
import type { SnapshotExports } from '../../snapshot/exports.js';
import { invalidParameter, NodeError } from '../../util/errors.js';

/** Modules for snapshots of the state. */
interface SnapshotModules {
  readonly exports: Pick<SnapshotExports, 'request'>;
}

const exportSnapshot: Handler<SnapshotModules, ExportSnapshotRequest, ExportSnapshotResponse> = ({ exports }, { path, height }) => {
  if (!isAbsolute(path)) throw invalidParameter('the path of the snapshot is not absolute');
  try {
    const { progress, result } = exports.request(path, height);
    const rows = BigInt(result?.rows ?? progress.rows);
    const bytes = BigInt(result?.bytes ?? progress.bytes);
    if (!result) return { status: 'running', rows, bytes, column: progress.column };
    const { header, digest } = result;
    return { status: 'done', rows, bytes, height: header.height, blockhash: formatHash(header.hash), digest: formatDigest(digest) };
  } catch (error) {
    if (!isOfOperator(error)) throw error;
    throw new NodeError('misc', (error as Error).message, { cause: error });
  }
};

/** True for errors that the operator can correct: of the snapshot, and of the file system. */
function isOfOperator(error: unknown): boolean {
  return error instanceof SnapshotError || (error instanceof Error && 'syscall' in error);
}

export const snapshotHandlers = { exportSnapshot } satisfies Handlers<SnapshotServiceServer, SnapshotModules>;
