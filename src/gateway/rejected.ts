import type { RejectReason } from '../metrics/rpc.js';

/** Counts a request that was turned away before any operation ran. */
export type Rejected = (reason: RejectReason) => void;
