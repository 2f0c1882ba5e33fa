import type { RawtransactionsServiceServer } from '../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { Handlers } from '../../rpc/handler.js';
import { sendRawTransaction, testMempoolAccept } from './broadcast.js';
import { decodeRawTransaction, decodeScript } from './decoding.js';
import { getRawTransaction } from './lookup.js';
import type { RawtransactionsModules } from './modules.js';

export type { RawtransactionsModules } from './modules.js';

/** Operations that are declared and not answered yet. */
type NotBuilt =
  | 'analyzePsbt'
  | 'combinePsbt'
  | 'combineRawTransaction'
  | 'convertToPsbt'
  | 'createPsbt'
  | 'createRawTransaction'
  | 'decodePsbt'
  | 'finalizePsbt'
  | 'fundRawTransaction'
  | 'joinPsbts'
  | 'signRawTransactionWithKey'
  | 'utxoUpdatePsbt';

export const rawtransactionsHandlers = {
  decodeRawTransaction,
  decodeScript,
  getRawTransaction,
  sendRawTransaction,
  testMempoolAccept,
} satisfies Handlers<RawtransactionsServiceServer, RawtransactionsModules, NotBuilt>;
