import { Counter, type Registry } from 'prom-client';

/** The part of minting that metrics read. */
export interface ObservedForge {
  on(name: 'attempted', listener: (event: { readonly outcome: string }) => void): () => void;
}

/** Metrics of minting, both in the background and on request. */
export function observeMinting(registry: Registry, forge: ObservedForge): void {
  const registers = [registry];
  const attempts = new Counter({
    name: 'dfi_minting_attempts_total',
    help: 'Attempts of masternodes of this node to mint',
    registers,
  });
  const blocks = new Counter({ name: 'dfi_minting_blocks_total', help: 'Blocks minted by masternodes of this node', registers });
  const invalid = new Counter({ name: 'dfi_minting_invalid_total', help: 'Assembled blocks that were invalid', registers });
  forge.on('attempted', ({ outcome }) => {
    attempts.inc();
    if (outcome === 'minted') blocks.inc();
    if (outcome === 'invalid') invalid.inc();
  });
}
