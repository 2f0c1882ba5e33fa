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
    help: 'Times that a masternode of this node tried to mint',
    registers,
  });
  const blocks = new Counter({ name: 'dfi_minting_blocks_total', help: 'Blocks that masternodes of this node minted', registers });
  const invalid = new Counter({ name: 'dfi_minting_invalid_total', help: 'Blocks put together to be minted that broke a rule', registers });
  forge.on('attempted', ({ outcome }) => {
    attempts.inc();
    if (outcome === 'minted') blocks.inc();
    if (outcome === 'invalid') invalid.inc();
  });
}
