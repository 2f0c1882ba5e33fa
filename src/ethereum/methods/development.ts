import { type DevNetwork, requireDevNetwork } from '../../devnet/dev-network.js';
import type { DevelopmentChange } from '../../dfi/development/changes.js';
import { addressBytes, wordBytes } from '../../evm/words.js';
import { erc55Script } from '../../script/erc55.js';
import { JsonNumber, JsonObject, type JsonValue } from '../../util/json.js';
import type { Steps, UnitCount } from '../../util/slicer.js';
import type { EthereumJson } from '../json.js';
import { readMembers } from '../members.js';
import { type EthereumCall, type EthereumMethod, method } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { optional, type Param, required, type Values } from '../params.js';
import { secretOf } from '../sign.js';
import { Unreadable } from '../unreadable.js';
import { formatQuantity, parseAddress, parseBoolean, parseBytes, parseHash, parseQuantity, parseText } from '../values.js';

interface Mine {
  readonly timestamp?: number | undefined;
  readonly blocks?: number | undefined;
}

const ONE_BLOCK: Mine = {};

/** Control of development networks, with the names of Hardhat and Anvil. @see src/devnet/README.md */
export const developmentMethods: readonly EthereumMethod[] = [
  ...named(['evm_snapshot', 'anvil_snapshot'], [], (network) => formatQuantity(network.snapshots.take())),
  ...named(['evm_revert', 'anvil_revert'], [required('id', parseNumber)], (network, [id]) => revert(network, id)),
  ...named(['hardhat_dumpState', 'anvil_dumpState'], [], (network, _, { signal }) => network.dump.dump(signal)),
  ...named(['hardhat_loadState', 'anvil_loadState'], [required('state', parseText)], (network, [state]) => {
    network.dump.load(state);
    return true;
  }),
  ...[true, false].flatMap((isImpersonated) => {
    const name = isImpersonated ? 'impersonateAccount' : 'stopImpersonatingAccount';
    return [`hardhat_${name}`, `anvil_${name}`].map((each) =>
      method(each, [required('address', parseAddress)], ({ devNetwork, wallets }, [address]) => {
        const network = requireDevNetwork(devNetwork);
        // An account with its key in a wallet can send already.
        if (!secretOf({ wallets }, address)) network.impersonate(erc55Script(addressBytes(address)), isImpersonated);
        return true;
      }),
    );
  }),
  ...named(['evm_increaseTime', 'anvil_increaseTime'], [required('seconds', parseNumber)], (network, [seconds]) => {
    network.time.advance(seconds);
    return String(network.time.offset);
  }),
  ...named(['evm_setTime', 'anvil_setTime'], [required('timestamp', parseNumber)], (network, [seconds]) => {
    network.time.set(seconds);
    return String(network.time.offset);
  }),
  ...named(['evm_setNextBlockTimestamp', 'anvil_setNextBlockTimestamp'], [required('timestamp', parseNumber)], (network, [seconds]) => {
    network.time.setNext(seconds);
    return String(seconds);
  }),
  ...named(
    ['evm_mine'],
    [optional('options', { steps: readMine }, ONE_BLOCK)],
    async (network, [{ timestamp, blocks = 1 }], { signal }) => {
      if (timestamp !== undefined) network.time.setNext(timestamp);
      await network.mine({ count: blocks, interval: 1, signal });
      return '0x0';
    },
  ),
  ...named(['evm_setAutomine', 'anvil_setAutomine'], [required('enabled', parseBoolean)], (network, [enabled]) => {
    network.mining.mode = enabled ? 'tx' : 'off';
    return true;
  }),
  ...named(['hardhat_getAutomine', 'anvil_getAutomine'], [], ({ mining }) => mining.mode === 'tx'),
  // Hardhat counts milliseconds, Anvil seconds.
  ...named(['evm_setIntervalMining'], [required('milliseconds', parseNumber)], (network, [milliseconds]) => {
    network.setMiningInterval(milliseconds / 1000);
    return true;
  }),
  ...named(['anvil_setIntervalMining'], [required('seconds', parseNumber)], (network, [seconds]) => {
    network.setMiningInterval(seconds);
    return null;
  }),
  ...named(
    ['hardhat_mine', 'anvil_mine'],
    [optional('count', parseNumber, 1), optional('interval', parseNumber, 1)],
    async (network, [count, interval], { signal }) => {
      await network.mine({ count, interval, signal });
      return true;
    },
  ),
  ...named(
    ['hardhat_setBalance', 'anvil_setBalance'],
    [required('address', parseAddress), required('balance', parseQuantity)],
    (network, [address, balance], { signal }) =>
      change(network, { kind: 'evm-balance', address: addressBytes(address), balance: wordBytes(balance) }, signal),
  ),
  ...named(
    ['hardhat_setNonce', 'anvil_setNonce'],
    [required('address', parseAddress), required('nonce', parseNumber)],
    (network, [address, nonce], { signal }) =>
      change(network, { kind: 'evm-nonce', address: addressBytes(address), nonce: BigInt(nonce) }, signal),
  ),
  ...named(
    ['hardhat_setCode', 'anvil_setCode'],
    [required('address', parseAddress), required('code', parseBytes)],
    (network, [address, code], { signal }) => change(network, { kind: 'evm-code', address: addressBytes(address), code }, signal),
  ),
  ...named(
    ['hardhat_setStorageAt', 'anvil_setStorageAt'],
    [required('address', parseAddress), required('slot', parseQuantity), required('value', parseHash)],
    (network, [address, slot, value], { signal }) =>
      change(network, { kind: 'evm-slot', address: addressBytes(address), slot: wordBytes(slot), value }, signal),
  ),
];

/** Declares a method with several names. */
function named<const P extends readonly Param<unknown>[]>(
  names: readonly string[],
  params: P,
  run: (network: DevNetwork, values: Values<P>, call: EthereumCall) => EthereumJson | Promise<EthereumJson>,
): EthereumMethod[] {
  const handler = ({ devNetwork }: EthereumModules, values: Values<P>, call: EthereumCall) =>
    run(requireDevNetwork(devNetwork), values, call);
  return names.map((name) => method(name, params, handler));
}

async function change(network: DevNetwork, made: DevelopmentChange, signal: AbortSignal): Promise<boolean> {
  await network.change([made], signal);
  return true;
}

/** Unlike `dev_revert` it drops the snapshot, as other nodes do. @returns false if there is none */
function revert({ snapshots }: DevNetwork, id: number): boolean {
  if (!snapshots.has(id)) return false;
  snapshots.revert(id);
  snapshots.drop(id);
  return true;
}

/** Reads a number, or a quantity in hex. @throws {Unreadable} */
function parseNumber(value: JsonValue): number {
  const number = Number(value instanceof JsonNumber ? value.text : parseQuantity(value));
  if (!Number.isSafeInteger(number) || number < 0) throw new Unreadable('invalid value: expected a whole number');
  return number;
}

/** Reads the time of the next block, alone or with the number of blocks. @throws {Unreadable} */
function* readMine(value: JsonValue, units: UnitCount): Steps<Mine> {
  if (!(value instanceof JsonObject)) return { timestamp: parseNumber(value) };
  return yield* readMembers(value, { name: 'MineOptions', readers: { timestamp: parseNumber, blocks: parseNumber } }, units);
}
