import type { EthereumModules } from '../../ethereum/modules.js';

/** Modules for the operations of the EVM. */
export type EvmModules = Pick<EthereumModules, 'chain' | 'execution'>;
