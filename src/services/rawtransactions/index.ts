import type { RawtransactionsServiceServer } from '../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { Handlers } from '../../rpc/handler.js';
import type { RawtransactionsModules } from './modules.js';
import { analyzePsbt } from './psbt/analysis.js';
import { decodePsbt } from './psbt/decoding.js';
import { combinePsbt, convertToPsbt, createPsbt, finalizePsbt, joinPsbts } from './psbt/psbt.js';
import { utxoUpdatePsbt } from './psbt/update.js';
import { combineRawTransaction } from './signing/combine.js';
import { signRawTransactionWithKey } from './signing/sign.js';
import { sendRawTransaction, testMempoolAccept } from './transactions/broadcast.js';
import { createRawTransaction } from './transactions/create.js';
import { decodeRawTransaction, decodeScript } from './transactions/decoding.js';
import { getRawTransaction } from './transactions/lookup.js';

export type { RawtransactionsModules } from './modules.js';

/** Declared in this service, but implemented with the wallet operations because it needs a wallet. */
type ImplementedElsewhere = 'fundRawTransaction';

export const rawtransactionsHandlers = {
  analyzePsbt,
  combinePsbt,
  combineRawTransaction,
  convertToPsbt,
  createPsbt,
  createRawTransaction,
  decodePsbt,
  decodeRawTransaction,
  decodeScript,
  finalizePsbt,
  getRawTransaction,
  joinPsbts,
  sendRawTransaction,
  signRawTransactionWithKey,
  testMempoolAccept,
  utxoUpdatePsbt,
} satisfies Handlers<RawtransactionsServiceServer, RawtransactionsModules, ImplementedElsewhere>;
