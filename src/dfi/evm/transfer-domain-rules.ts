import { destinationOf, encodeDestination } from '../../script/address.js';
import { erc55Of } from '../../script/erc55.js';
import { toHex } from '../../util/bytes.js';
import { storedAttributes } from '../attributes/attributes.js';
import { valueOrDefault } from '../attributes/defaults.js';
import { isFeatureOn } from '../attributes/features.js';
import { FORMATS } from '../attributes/value.js';
import { requireAuth } from '../context/auth.js';
import type { TxContext } from '../context/custom-tx.js';
import { TxRejected } from '../kernel/rejected.js';
import { getToken, hasFlag } from '../tokens/columns.js';
import { isSignedBy, signerAddress } from './transfer-auth.js';
import { Domain, type TransferDomain, type TransferItem } from './transfer-domain-body.js';
import type { TransferEdge } from './transfer-stats.js';

/** Transfer that passed the checks of the DVM. */
export interface AllowedTransfer {
  readonly edge: TransferEdge;
  readonly src: TransferItem;
  readonly dst: TransferItem;
  /** EVM address that must have signed the EVM transaction. */
  readonly sender: Uint8Array;
  /** EVM address that is credited or debited. */
  readonly account: Uint8Array;
  /** Address text of the DVM side. */
  readonly native: string;
}

const NO_AUTH = 'tx must have at least one input from account owner';

/** Names of the directions in error texts. */
const WAYS: Readonly<Record<TransferEdge, string>> = { 'dvm-evm': 'DVM to EVM', 'evm-dvm': 'EVM to DVM' };

/** Checks a transfer, except for its EVM transaction. @throws {TxRejected} in the order of docs/protocol/evm.md 3.2 */
export function requireTransfer(context: TxContext, { transfers }: TransferDomain): AllowedTransfer {
  const { view, tx } = context;
  if (!isFeatureOn(view, 'transferdomain')) throw new TxRejected('Cannot create tx, transfer domain is not enabled');
  if (!context.evmEnabled) throw new TxRejected('Cannot create tx, EVM is not enabled');
  const [transfer, another] = transfers;
  if (!transfer || another) throw new TxRejected('TransferDomain currently only supports a single transfer per transaction');
  if (tx.vin.length > 1) throw new TxRejected('Invalid transfer domain TX');
  const { src, dst } = transfer;
  checkSame(src, dst);
  checkToken(context, src.amount.tokenId);
  const edge = edgeOf(src, dst);
  checkEnabled(context, edge, src.amount.tokenId);
  return edge === 'dvm-evm' ? allowIn(context, src, dst) : allowOut(context, src, dst);
}

function checkSame(src: TransferItem, dst: TransferItem): void {
  if (src.domain === dst.domain) throw new TxRejected('Cannot transfer inside same domain');
  if (src.amount.amount !== dst.amount.amount) throw new TxRejected('Source amount must be equal to destination amount');
  if (src.amount.tokenId !== dst.amount.tokenId) throw new TxRejected('Source token and destination token must be the same');
  if (src.amount.amount < 0n) throw new TxRejected('Invalid transfer domain TX');
}

function checkToken({ view }: TxContext, tokenId: number): void {
  if (tokenId === 0) return;
  const token = getToken(view, tokenId);
  if (token && hasFlag(token, 'dat') && !hasFlag(token, 'poolShare')) return;
  throw new TxRejected('Non-DAT or LP tokens are not supported for transferdomain');
}

function edgeOf(src: TransferItem, dst: TransferItem): TransferEdge {
  if (src.domain === Domain.dvm && dst.domain === Domain.evm) return 'dvm-evm';
  if (src.domain === Domain.evm && dst.domain === Domain.dvm) return 'evm-dvm';
  throw new TxRejected('Unknown transfer domain aspect');
}

function checkEnabled({ view }: TxContext, edge: TransferEdge, tokenId: number): void {
  const isOn = (name: string) => valueOrDefault(storedAttributes(view), `transferdomain/${edge}/${name}`, 'bool');
  if (!isOn('enabled')) throw new TxRejected(`${WAYS[edge]} is not currently enabled`);
  const [name, what] = tokenId === 0 ? ['native-enabled', 'DFI'] : ['dat-enabled', 'DST20'];
  if (!isOn(name)) throw new TxRejected(`transferdomain for ${what} from ${WAYS[edge]} is not enabled`);
}

function allowIn(context: TxContext, src: TransferItem, dst: TransferItem): AllowedTransfer {
  const formats = formatsOf(context, 'dvm-evm', src, dst);
  if (!formats.src) throw new TxRejected('Src address must be a legacy or Bech32 address in case of "DVM" domain');
  if (!formats.dst) throw new TxRejected('Dst address must be an ERC55 address in case of "EVM" domain');
  const sender = signerAddress(context);
  if (!sender) throw new TxRejected(NO_AUTH);
  requireAuth(context, src.address);
  const account = erc55Of(dst.address);
  // Governance may allow other formats for the EVM side, but such an address cannot be credited.
  if (!account) throw new TxRejected('Src address must be an ERC55 address in case of "EVM" domain');
  return { edge: 'dvm-evm', src, dst, sender, account, native: addressText(context, src.address) };
}

function allowOut(context: TxContext, src: TransferItem, dst: TransferItem): AllowedTransfer {
  const formats = formatsOf(context, 'evm-dvm', src, dst);
  const account = erc55Of(src.address);
  if (!formats.src) throw new TxRejected('Src address must be an ERC55 address in case of "EVM" domain');
  if (!formats.dst) throw new TxRejected('Dst address must be a legacy or Bech32 address in case of "DVM" domain');
  const proofs = valueOrDefault(storedAttributes(context.view), 'transferdomain/evm-dvm/auth-formats', 'formats');
  const kinds = new Set<'pkh' | 'wpkh'>();
  if (proofs.includes(FORMATS.get('p2pkh-erc55') ?? 0)) kinds.add('pkh');
  if (proofs.includes(FORMATS.get('bech32-erc55') ?? 0)) kinds.add('wpkh');
  if (!account || !isSignedBy(context, account, kinds)) throw new TxRejected(NO_AUTH);
  return { edge: 'evm-dvm', src, dst, sender: account, account, native: addressText(context, dst.address) };
}

/** Checks the address format of each side against governance. @throws {TxRejected} if a script is not an address */
function formatsOf({ view }: TxContext, edge: TransferEdge, src: TransferItem, dst: TransferItem) {
  const [srcFormat, dstFormat] = [formatOf(src.address), formatOf(dst.address)];
  const isAllowed = (name: string, format: number) =>
    valueOrDefault(storedAttributes(view), `transferdomain/${edge}/${name}`, 'formats').includes(format);
  return { src: isAllowed('src-formats', srcFormat), dst: isAllowed('dest-formats', dstFormat) };
}

const NO_FORMAT = 0;

/** Code of an address format. @throws {TxRejected} if the script is not an address @see docs/protocol/evm.md 2.3 */
function formatOf(script: Uint8Array): number {
  const destination = destinationOf(script);
  if (!destination) throw new TxRejected(`Unexpected Script: ${toHex(script)}`);
  const name = erc55Of(script) ? 'erc55' : destination.type === 'pkh' ? 'p2pkh' : destination.type === 'wpkh' ? 'bech32' : '';
  return FORMATS.get(name) ?? NO_FORMAT;
}

function addressText({ params }: TxContext, script: Uint8Array): string {
  const destination = destinationOf(script);
  return destination ? encodeDestination(destination, params.address) : '';
}
