/** What a node offers, as bits of the services field (docs/protocol/chain.md 7.1). */
export const Service = {
  /** All blocks. */
  network: 1n,
  /** Bloom filters (BIP111). */
  bloom: 4n,
  /** Witness data (BIP144). */
  witness: 8n,
  /** The last 288 blocks (BIP159). */
  networkLimited: 0x400n,
} as const;

export function hasServices(offered: bigint, wanted: bigint): boolean {
  return (offered & wanted) === wanted;
}

export interface LocalAbilities {
  readonly pruned: boolean;
  readonly bloomFilters: boolean;
  /** False where segwit is switched off for good. */
  readonly witness: boolean;
}

/** What this node offers. */
export function localServices({ pruned, bloomFilters, witness }: LocalAbilities): bigint {
  return Service.networkLimited | (pruned ? 0n : Service.network) | (bloomFilters ? Service.bloom : 0n) | (witness ? Service.witness : 0n);
}

/** What an outbound peer must offer to be of use. A node that has caught up can do with one that keeps recent blocks only. */
export function desiredServices(offered: bigint, syncing: boolean): bigint {
  const blocks = !syncing && hasServices(offered, Service.networkLimited) ? Service.networkLimited : Service.network;
  return blocks | Service.witness;
}

export function hasDesiredServices(offered: bigint, syncing: boolean): boolean {
  return hasServices(offered, desiredServices(offered, syncing));
}

/** Whether blocks can be asked of it at all. */
export function servesBlocks(offered: bigint): boolean {
  return (offered & (Service.network | Service.networkLimited)) !== 0n;
}

/** 16 hex digits, as answers show them. */
export function formatServices(services: bigint): string {
  return services.toString(16).padStart(16, '0');
}
