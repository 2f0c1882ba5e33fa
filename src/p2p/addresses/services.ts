/** Bits of the services field (docs/protocol/chain.md 7.1). */
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

/** Returns true if all bits of `wanted` are offered. */
export function hasServices(offered: bigint, wanted: bigint): boolean {
  return (offered & wanted) === wanted;
}

export interface LocalAbilities {
  readonly pruned: boolean;
  readonly bloomFilters: boolean;
  /** False if segwit is disabled for good. */
  readonly witness: boolean;
}

/** Services that this node offers. */
export function localServices({ pruned, bloomFilters, witness }: LocalAbilities): bigint {
  return Service.networkLimited | (pruned ? 0n : Service.network) | (bloomFilters ? Service.bloom : 0n) | (witness ? Service.witness : 0n);
}

/** Services that an outbound peer must offer. After initial download a peer that serves recent blocks only is sufficient. */
export function desiredServices(offered: bigint, syncing: boolean): bigint {
  const blocks = !syncing && hasServices(offered, Service.networkLimited) ? Service.networkLimited : Service.network;
  return blocks | Service.witness;
}

/** Returns true if the services are sufficient for an outbound peer. */
export function hasDesiredServices(offered: bigint, syncing: boolean): boolean {
  return hasServices(offered, desiredServices(offered, syncing));
}

/** Returns true if the node serves blocks, all or recent ones. */
export function servesBlocks(offered: bigint): boolean {
  return (offered & (Service.network | Service.networkLimited)) !== 0n;
}

/** 16 hex digits, as in answers. */
export function formatServices(services: bigint): string {
  return services.toString(16).padStart(16, '0');
}
