import type {
  DecodedWitnessScript,
  DecodeRawTransactionRequest,
  DecodeRawTransactionResponse,
  DecodeScriptRequest,
  DecodeScriptResponse,
} from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { COMPRESSED_KEY_SIZE } from '../../../crypto/ecdsa.js';
import { hash160, ripemd160, sha256 } from '../../../crypto/hash.js';
import { isLong, longSha256 } from '../../../crypto/hash-stream.js';
import { type AddressParams, knowsEvm, type NetworkParams } from '../../../params/network.js';
import type { Handler } from '../../../rpc/handler.js';
import { parseHex } from '../../../rpc/shapes.js';
import { encodeDestination, scriptOf } from '../../../script/address.js';
import { type ClassifyOptions, classify } from '../../../script/standard.js';
import { EMPTY_BYTES } from '../../../util/bytes.js';
import { fromLongHex } from '../../../util/long-hex.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import { formatLongScriptPubKey, formatScriptPubKey } from '../../format/script.js';
import { formatLongTransaction } from '../../format/transaction.js';
import { decodeModes, decodeTransactionHex } from '../format/decode.js';
import type { RawtransactionsModules } from '../modules.js';

type Modules = { readonly chain: Pick<RawtransactionsModules['chain'], 'params'> };

/** @see docs/protocol/rpc-chain.md 3.3.3 */
export const decodeRawTransaction: Handler<Modules, DecodeRawTransactionRequest, DecodeRawTransactionResponse> = (
  { chain: { params } },
  request,
  call,
) => inSlices(decode(request, params), call);

function* decode({ hexstring, iswitness }: DecodeRawTransactionRequest, params: NetworkParams): Steps<DecodeRawTransactionResponse> {
  const tx = yield* decodeTransactionHex(hexstring, decodeModes(iswitness), params.txFormat);
  return { transaction: yield* formatLongTransaction(tx, { params }) };
}

/** @see docs/protocol/rpc-chain.md 3.3.4 */
export const decodeScript: Handler<Modules, DecodeScriptRequest, DecodeScriptResponse> = ({ chain: { params } }, { hexstring }, call) =>
  inSlices(describeScript(hexstring, params), call);

function* describeScript(hexstring: string, params: NetworkParams): Steps<DecodeScriptResponse> {
  // A text that is not hex gets the usual error of hex arguments.
  const script = hexstring === '' ? EMPTY_BYTES : ((yield* fromLongHex(hexstring)) ?? parseHex(hexstring, 'argument'));
  const { asm, reqsigs, type, addresses } = yield* formatLongScriptPubKey(script, params);
  const digest = isLong(script) ? yield* longSha256(script) : sha256(script);
  return {
    asm,
    reqsigs,
    type,
    addresses,
    p2sh: type === 'scripthash' ? undefined : payToScriptHash(digest, params.address),
    segwit: witnessForm(script, digest, params),
  };
}

/** @param digest SHA-256 of the script */
function payToScriptHash(digest: Uint8Array, address: AddressParams): string {
  return encodeDestination({ type: 'sh', hash: ripemd160(digest) }, address);
}

function witnessForm(
  script: Uint8Array,
  digest: Uint8Array,
  params: Pick<NetworkParams, 'address' | 'upgrades'>,
): DecodedWitnessScript | undefined {
  const witness = witnessScript(script, digest, { metachain: knowsEvm(params) });
  if (!witness) return undefined;
  return { ...formatScriptPubKey(witness, params), p2shSegwit: payToScriptHash(sha256(witness), params.address) };
}

/** Witness program equivalent to a script; undefined if there is none. @param digest SHA-256 of the script */
function witnessScript(script: Uint8Array, digest: Uint8Array, options: ClassifyOptions): Uint8Array | undefined {
  const { type, solutions } = classify(script, options);
  const [first = EMPTY_BYTES] = solutions;
  switch (type) {
    case 'pubkey':
      return first.length === COMPRESSED_KEY_SIZE ? scriptOf({ type: 'wpkh', hash: hash160(first) }) : undefined;
    case 'pubkeyhash':
      return scriptOf({ type: 'wpkh', hash: first });
    case 'multisig':
      if (solutions.some((key) => key.length !== COMPRESSED_KEY_SIZE)) return undefined;
      return scriptOf({ type: 'wsh', hash: digest });
    case 'nonstandard':
      return scriptOf({ type: 'wsh', hash: digest });
    default:
      return undefined;
  }
}
