import { networkParams } from '../../src/params/index.js';
import { makeTransaction, type TxIn } from '../../src/primitives/transaction.js';
import { createPsbt } from '../../src/psbt/psbt.js';
import { formatPsbt } from '../../src/psbt/text.js';
import { toNodeError } from '../../src/rpc/errors.js';
import { withChecksum } from '../../src/script/descriptor-checksum.js';
import { Op } from '../../src/script/opcodes.js';
import { EMPTY_BYTES, toHex } from '../../src/util/bytes.js';
import { type JsonValue, parseJson } from '../../src/util/json.js';
import { jsonRpcCall } from '../rpc/json-rpc-call.js';
import { startServices } from '../rpc/service-node.js';
import { heldBy } from './held.js';

/** Target for the longest turn of the event loop. */
const LIMIT_MS = 20;
const MEGABYTES = 2;
const INPUTS = 20_000;

const params = networkParams({ network: 'regtest' });
const { txFormat } = params;
const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const TPRV = 'tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK';
const SECRET = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
const P2PKH = '76a914751e76e8199196d454941c45d1b3a323f1433bd688ac';
const ADDRESS = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r';

const vin: TxIn[] = Array.from({ length: INPUTS }, (_, vout) => ({
  prevout: { txid: new Uint8Array(32).fill(1), vout },
  scriptSig: EMPTY_BYTES,
  sequence: 0xffffffff,
  witness: [],
}));
const vout = vin.map(() => ({ value: 1n, scriptPubKey: Uint8Array.of(Op.ONE), tokenId: 0 }));
const tx = makeTransaction({ version: 4, lockTime: 0, vin, vout }, txFormat);
const hex = toHex(tx.raw);
const psbt = formatPsbt(createPsbt(tx), txFormat);
const prevtxs = vin
  .slice(0, 1_000)
  .map(({ prevout }) => ({ txid: toHex(prevout.txid), vout: prevout.vout, scriptPubKey: P2PKH, amount: 1 }));
const inputs = vin.map(({ prevout }) => ({ txid: toHex(prevout.txid), vout: prevout.vout }));
const blanks = ' '.repeat(MEGABYTES * 1_000_000);

/** The heaviest calls that a caller can make with a few megabytes of arguments. */
const calls: readonly { readonly method: string; readonly what: string; readonly args: readonly unknown[] }[] = [
  { method: 'decodescript', what: `${MEGABYTES} MB of opcodes`, args: ['b1'.repeat(MEGABYTES * 1_000_000)] },
  { method: 'decoderawtransaction', what: `${INPUTS} inputs`, args: [hex] },
  { method: 'decodecustomtx', what: `${INPUTS} inputs`, args: [hex] },
  { method: 'createrawtransaction', what: `${INPUTS} inputs`, args: [inputs, []] },
  { method: 'createrawtransaction', what: `${INPUTS} addresses`, args: [[], new Array(INPUTS).fill({ [ADDRESS]: 1 })] },
  { method: 'createpsbt', what: `${INPUTS} inputs`, args: [inputs, []] },
  { method: 'signrawtransactionwithkey', what: `1000 of ${INPUTS} inputs`, args: [hex, [SECRET], prevtxs] },
  { method: 'combinerawtransaction', what: `${INPUTS} inputs`, args: [[hex]] },
  { method: 'sendrawtransaction', what: `${INPUTS} inputs`, args: [hex] },
  { method: 'testmempoolaccept', what: `${INPUTS} inputs`, args: [[hex]] },
  { method: 'converttopsbt', what: `${INPUTS} inputs`, args: [hex] },
  { method: 'decodepsbt', what: `${INPUTS} inputs`, args: [psbt] },
  { method: 'analyzepsbt', what: `${INPUTS} inputs`, args: [psbt] },
  { method: 'combinepsbt', what: `${INPUTS} inputs`, args: [[psbt, psbt]] },
  { method: 'finalizepsbt', what: `${INPUTS} inputs`, args: [psbt] },
  { method: 'joinpsbts', what: `${INPUTS} inputs`, args: [[psbt, psbt]] },
  { method: 'utxoupdatepsbt', what: `${INPUTS} inputs`, args: [psbt] },
  { method: 'getdescriptorinfo', what: '20000 keys', args: [`multi(1,${new Array(20_000).fill(KEY).join(',')})`] },
  { method: 'deriveaddresses', what: '3000 indexes', args: [withChecksum(`wpkh(${TPRV}/*)`), 2_999] },
  {
    method: 'deriveaddresses',
    what: 'paths of 254 steps',
    args: [withChecksum(`wsh(multi(1,${new Array(16).fill(`${TPRV}${"/1'".repeat(254)}/*`).join(',')}))`), 9],
  },
  { method: 'createmultisig', what: '20000 keys', args: [1, new Array(20_000).fill(KEY)] },
  { method: 'validateaddress', what: `${MEGABYTES} MB of blanks`, args: [`a${blanks}a`] },
  { method: 'verifymessage', what: `${MEGABYTES} MB of text`, args: [ADDRESS, `${'A'.repeat(87)}=`, blanks] },
  { method: 'submitblock', what: `${MEGABYTES} MB of zeros`, args: ['00'.repeat(MEGABYTES * 1_000_000)] },
  { method: 'submitblock', what: `${INPUTS} inputs`, args: [`${'00'.repeat(190)}01${hex}`] },
  { method: 'getblocktemplate', what: 'a proposal', args: [{ mode: 'proposal', data: `${'00'.repeat(190)}01${hex}` }] },
];

/** Time that calls with hostile arguments block the event loop: handler and answer, without parsing the JSON of the request. */
export async function run(): Promise<void> {
  const { invoker, modules } = startServices(params);
  for (const { method, what, args } of calls) {
    const op = modules.catalogue.byName(method);
    if (!op) throw new Error(`no operation ${method}`);
    const given = parseJson(JSON.stringify(args)) as readonly JsonValue[];
    const call = async () => op.codec.write(await invoker.invoke(op, op.codec.bindPositional(given), jsonRpcCall), jsonRpcCall);
    const outcomeOf = (): Promise<string> =>
      call().then(
        () => '',
        (error) => toNodeError(error).message.slice(0, 60),
      );
    const { heldMs, cpuMs, totalMs, result: outcome } = await heldBy(outcomeOf);
    const held = `held for ${heldMs.toFixed(0)} ms at most (limit ${LIMIT_MS}), of it ${cpuMs.toFixed(0)} ms of CPU time`;
    console.log(`${method.padEnd(28)}${what.padEnd(24)}${totalMs.toFixed(0)} ms, ${held}  ${outcome}`);
  }
}
