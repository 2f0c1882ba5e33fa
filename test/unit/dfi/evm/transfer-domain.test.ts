import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { publicKeyOf, uncompressed } from '../../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../../src/crypto/hash.js';
import { balanceOf, materialisedHeights } from '../../../../src/dfi/accounts/columns.js';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import { liveKey } from '../../../../src/dfi/attributes/live-totals.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import type { AttributeValue } from '../../../../src/dfi/attributes/value.js';
import type { EvmStage } from '../../../../src/dfi/context/custom-tx.js';
import { encodeTransferCall, type TransferCall } from '../../../../src/dfi/evm/transfer-call.js';
import { transferDomain } from '../../../../src/dfi/evm/transfer-domain.js';
import type { TransferItem } from '../../../../src/dfi/evm/transfer-domain-body.js';
import { transferStats } from '../../../../src/dfi/evm/transfer-stats.js';
import { applyCustomTx, type CustomTxOutcome } from '../../../../src/dfi/execution/apply.js';
import { CONTRACT } from '../../../../src/dfi/kernel/contract-addresses.js';
import { splitRecords } from '../../../../src/dfi/splits/columns.js';
import { getToken, TokenFlag, tokens } from '../../../../src/dfi/tokens/columns.js';
import { lockedTokens, setLockRatio } from '../../../../src/dfi/tokens/lock-columns.js';
import { signEvmTransaction, type UnsignedEvmTransaction } from '../../../../src/evm/codec/sign.js';
import { encodeEvmTransaction } from '../../../../src/evm/codec/transaction.js';
import { TRANSFER_DOMAIN, tokenAddress } from '../../../../src/evm/contracts/addresses.js';
import { addressBytes, addressWord, wordBytes } from '../../../../src/evm/words.js';
import { encode } from '../../../../src/primitives/codec.js';
import { makeTransaction, type Transaction } from '../../../../src/primitives/transaction.js';
import { encodeDestination, scriptOf } from '../../../../src/script/address.js';
import { erc55Script, evmAddressOf, formatErc55 } from '../../../../src/script/erc55.js';
import { buildScript } from '../../../../src/script/script.js';
import { concatBytes, EMPTY_BYTES, equalBytes, fromHex, toHex } from '../../../../src/util/bytes.js';
import { closeEvmBlock, evmAccountOf, evmTokenOf, openEvmBlock, startEvm } from '../evm-steps.js';
import { DfiFixture, dataScript, dfi, GRAND_CENTRAL, heights, legacyScript, script } from '../fixture.js';
import { set } from '../governance-fixture.js';

const COIN = 100_000_000n;
const WEI = 10n ** 18n;
const SATOSHI = 10n ** 10n;
const HEIGHT = 200;
const [BTC, NEW_BTC, NEWEST_BTC, SHARE, USER] = [1, 2, 3, 4, 128];

/** Key with its addresses and scripts. */
function person(byte: number) {
  const secret = new Uint8Array(32).fill(byte);
  const key = publicKeyOf(secret);
  const long = uncompressed(key) as Uint8Array;
  const evm = evmAddressOf(key) as Uint8Array;
  const bech32 = scriptOf({ type: 'wpkh', hash: hash160(key) });
  const legacy = scriptOf({ type: 'pkh', hash: hash160(key) });
  return { secret, key, long, evm, bech32, legacy, oldLegacy: scriptOf({ type: 'pkh', hash: hash160(long) }), erc55: erc55Script(evm) };
}

type Person = ReturnType<typeof person>;
const [alice, bob] = [person(1), person(2)];

const late = heights({ ...GRAND_CENTRAL, metachain: 0 });

/** State with all features on and the first EVM block done, in which Alice has 100 DFI and 50 BTC. */
function startedFixture(params = late): DfiFixture {
  const fixture = new DfiFixture(params, HEIGHT);
  for (const path of ['params/feature/evm', 'params/feature/transferdomain']) set(fixture, path, { kind: 'bool', value: true });
  for (const edge of ['dvm-evm', 'evm-dvm']) set(fixture, `transferdomain/${edge}/dat-enabled`, { kind: 'bool', value: true });
  addToken(fixture, BTC, TokenFlag.dat);
  addToken(fixture, NEW_BTC, TokenFlag.dat);
  addToken(fixture, NEWEST_BTC, TokenFlag.dat);
  addToken(fixture, SHARE, TokenFlag.dat | TokenFlag.poolShare);
  addToken(fixture, USER, 0);
  fixture.give(alice.bech32, 0, 100n * COIN);
  fixture.give(alice.bech32, BTC, 50n * COIN);
  startEvm(fixture);
  return fixture;
}

function addToken(fixture: DfiFixture, id: number, flags: number): void {
  const native = getToken(fixture.view, 0);
  assert.ok(native);
  fixture.view.put(tokens, id, { ...native, symbol: `T${id}`, flags });
}

interface Wish {
  readonly from: Person;
  readonly to: Person;
  readonly amount: bigint;
  readonly tokenId?: number;
  readonly nonce?: bigint;
  /** Differences from a valid transfer. */
  readonly src?: Partial<TransferItem>;
  readonly dst?: Partial<TransferItem>;
  readonly evmTx?: Partial<UnsignedEvmTransaction>;
  readonly call?: Partial<TransferCall>;
  readonly signer?: Person;
  /** Spent script, and the data that reveals the key; by default P2WPKH of the sender. */
  readonly input?: { readonly spends: Uint8Array; readonly scriptSig?: Uint8Array; readonly witness?: readonly Uint8Array[] };
  readonly inputs?: number;
  readonly transfers?: number;
}

const SIGNATURE = new Uint8Array(71).fill(0x30);

function addressOf(spk: Uint8Array): string {
  const isBech32 = spk.length === 22;
  const hash = isBech32 ? spk.subarray(2) : spk.subarray(3, 23);
  return encodeDestination({ type: isBech32 ? 'wpkh' : 'pkh', hash }, late.address);
}

function make(fixture: DfiFixture, edge: 'in' | 'out', wish: Wish): Transaction {
  const { from, to, amount, tokenId = 0, nonce = 0n, signer = from, inputs = 1, transfers = 1 } = wish;
  const native = edge === 'in' ? (wish.src?.address ?? from.bech32) : (wish.dst?.address ?? to.bech32);
  const [callFrom, callTo] = edge === 'in' ? [TRANSFER_DOMAIN, addressWord(to.evm)] : [addressWord(from.evm), TRANSFER_DOMAIN];
  const contract = tokenId === 0 ? undefined : tokenAddress(tokenId);
  const nativeText = native.length === 22 || native.length === 25 ? addressOf(native) : '';
  const data = encodeTransferCall({ contract, from: callFrom, to: callTo, wei: amount * SATOSHI, native: nativeText, ...wish.call });
  const free = { type: 0, accessList: [], chainId: BigInt(late.evmChainId), gasPrice: 0n, gasLimit: 0n, value: 0n } as const;
  const unsigned = { ...free, nonce, to: TRANSFER_DOMAIN, data, ...wish.evmTx } as UnsignedEvmTransaction;
  const raw = encodeEvmTransaction(signEvmTransaction(unsigned, signer.secret));
  const nothing = { amount: { tokenId, amount }, data: EMPTY_BYTES };
  const src = edge === 'in' ? { ...nothing, address: from.bech32, domain: 2 } : { ...nothing, address: from.erc55, domain: 3, data: raw };
  const dst = edge === 'in' ? { ...nothing, address: to.erc55, domain: 3, data: raw } : { ...nothing, address: to.bech32, domain: 2 };
  const transfer = { src: { ...src, ...wish.src }, dst: { ...dst, ...wish.dst } };
  const body = { transfers: Array.from({ length: transfers }, () => transfer) };
  const { spends = from.bech32, scriptSig = EMPTY_BYTES, witness = [SIGNATURE, from.key] } = wish.input ?? {};
  const vin = Array.from({ length: inputs }, (_, i) => {
    const prevout = { txid: Buffer.alloc(32, 100 + i), vout: 0 };
    fixture.coin(prevout, dfi(1n, spends));
    return { prevout, scriptSig, sequence: 0xffffffff, witness };
  });
  const message = dataScript(transferDomain.type, encode(transferDomain.codec as NonNullable<typeof transferDomain.codec>, body));
  return makeTransaction({ version: 4, vin, vout: [dfi(0n, message)], lockTime: 0 }, late.txFormat);
}

/** Error text of a transfer without the type name; undefined if it is valid. */
function refusal(fixture: DfiFixture, edge: 'in' | 'out', wish: Wish): string | undefined {
  const outcome = fixture.apply(make(fixture, edge, wish));
  return outcome.status === 'failed' ? outcome.message.replace('TransferDomainTx: ', '') : undefined;
}

const ten = { from: alice, to: bob, amount: 10n * COIN };

/** State in which Bob has 10 DFI and 5 BTC in the EVM. */
function filledFixture(params = late): DfiFixture {
  const fixture = startedFixture(params);
  assert.equal(refusal(fixture, 'in', ten), undefined);
  assert.equal(refusal(fixture, 'in', { ...ten, amount: 5n * COIN, tokenId: BTC, nonce: 1n }), undefined);
  return fixture;
}

const back = { from: bob, to: alice, amount: 10n * COIN };
const NO_AUTH = 'tx must have at least one input from account owner';
const BAD_IN = 'transferdomain evm tx failed to pre-validate : ';
const BAD_OUT = 'transferdomain evm tx failed to pre-validate ';
/** `Error(string)` of the token contract. */
const REVERT_TEXT = 'ERC20: transfer amount exceeds balance';
const word = (value: number) => wordBytes(BigInt(value));
const REVERT_DATA = concatBytes(fromHex('08c379a0'), word(32), word(REVERT_TEXT.length), Buffer.from(REVERT_TEXT.padEnd(64, '\0')));
const hex = (bytes: Uint8Array) => `0x${toHex(bytes)}`;

describe('TransferDomain', () => {
  test('moves DFI and tokens into the EVM', () => {
    const fixture = filledFixture();
    assert.deepEqual([fixture.balance(alice.bech32), fixture.balance(alice.bech32, BTC)], [90n * COIN, 45n * COIN]);
    assert.deepEqual([evmAccountOf(fixture, bob.evm).wei, evmTokenOf(fixture, bob.evm, BTC)], [10n * WEI, 5n * WEI]);
    assert.equal(evmAccountOf(fixture, alice.evm).nonce, 2n);
  });

  test('moves DFI and tokens out of the EVM', () => {
    const fixture = filledFixture();
    assert.equal(refusal(fixture, 'out', { ...back, amount: 4n * COIN }), undefined);
    assert.equal(refusal(fixture, 'out', { ...back, amount: 5n * COIN, tokenId: BTC, nonce: 1n }), undefined);
    assert.deepEqual([fixture.balance(alice.bech32), fixture.balance(alice.bech32, BTC)], [94n * COIN, 50n * COIN]);
    assert.deepEqual([evmAccountOf(fixture, bob.evm).wei, evmTokenOf(fixture, bob.evm, BTC)], [6n * WEI, 0n]);
    const amounts = (coins: bigint, btc: bigint) => [
      { tokenId: 0, amount: coins * COIN },
      { tokenId: BTC, amount: btc * COIN },
    ];
    const { dvmEvmTotal, evmDvmTotal, dvmCurrent, evmCurrent } = transferStats(fixture.view);
    assert.deepEqual(dvmEvmTotal, amounts(10n, 5n));
    assert.deepEqual(evmDvmTotal, amounts(4n, 5n));
    assert.deepEqual([dvmCurrent, evmCurrent], [amounts(-6n, 0n), amounts(6n, 0n)]);
  });

  test('is undone when its block is disconnected', () => {
    const fixture = startedFixture();
    fixture.evm = {};
    const rows = () =>
      JSON.stringify(
        fixture.view
          .changes()
          .map(({ column, key, value }) => [column, toHex(key), value && toHex(value)])
          .sort(),
      );
    const before = rows();
    const undo = fixture.branch();
    openEvmBlock(fixture);
    assert.equal(refusal(fixture, 'in', ten), undefined);
    closeEvmBlock(fixture);
    assert.equal(evmAccountOf(fixture, bob.evm).wei, 10n * WEI);
    undo();
    assert.equal(rows(), before);
  });

  test('materialises the rewards of the source, but on changi', () => {
    const settled = (params: typeof late) => {
      const fixture = startedFixture(params);
      assert.equal(refusal(fixture, 'in', ten), undefined);
      return fixture.view.get(materialisedHeights, alice.bech32);
    };
    assert.equal(settled(late), HEIGHT);
    assert.equal(settled({ ...late, name: 'changi' }), undefined);
  });

  test('accepts an amount of 0', () => {
    const fixture = startedFixture();
    assert.equal(refusal(fixture, 'in', { ...ten, amount: 0n }), undefined);
    assert.equal(refusal(fixture, 'out', { ...back, amount: 0n }), undefined);
    assert.deepEqual([evmAccountOf(fixture, alice.evm).nonce, evmAccountOf(fixture, bob.evm).nonce], [1n, 1n]);
  });

  const domain = (src: number, dst: number) => ({ src: { domain: src }, dst: { domain: dst } });
  const amount = (value: bigint, tokenId = 0) => ({ amount: { tokenId, amount: value } });
  const both = (value: bigint, tokenId = 0) => ({ src: amount(value, tokenId), dst: amount(value, tokenId) });
  const asked: readonly (readonly [string, 'in' | 'out', Partial<Wish>, string])[] = [
    ['two transfers', 'in', { transfers: 2 }, 'TransferDomain currently only supports a single transfer per transaction'],
    ['no transfer', 'in', { transfers: 0 }, 'TransferDomain currently only supports a single transfer per transaction'],
    ['two inputs', 'in', { inputs: 2 }, 'Invalid transfer domain TX'],
    ['one domain', 'in', domain(2, 2), 'Cannot transfer inside same domain'],
    ['different amounts', 'in', { dst: amount(1n) }, 'Source amount must be equal to destination amount'],
    ['different tokens', 'in', { dst: amount(5n * COIN, BTC) }, 'Source token and destination token must be the same'],
    ['a negative amount', 'in', both(-1n), 'Invalid transfer domain TX'],
    ['a token of a user', 'in', both(COIN, USER), 'Non-DAT or LP tokens are not supported for transferdomain'],
    ['shares of a pool', 'out', both(COIN, SHARE), 'Non-DAT or LP tokens are not supported for transferdomain'],
    ['a token that does not exist', 'in', both(COIN, 99), 'Non-DAT or LP tokens are not supported for transferdomain'],
    ['an unknown domain', 'in', domain(2, 4), 'Unknown transfer domain aspect'],
    ['unsupported domains', 'out', domain(1, 2), 'Unknown transfer domain aspect'],
    ['a source that is not an address', 'in', { src: { address: fromHex('00') } }, 'Unexpected Script: 00'],
    ['a destination that is not an address', 'out', { dst: { address: fromHex('51') } }, 'Unexpected Script: 51'],
    [
      'an EVM address as DVM source',
      'in',
      { src: { address: alice.erc55 } },
      'Src address must be a legacy or Bech32 address in case of "DVM" domain',
    ],
    [
      'a DVM address as EVM destination',
      'in',
      { dst: { address: bob.bech32 } },
      'Dst address must be an ERC55 address in case of "EVM" domain',
    ],
    [
      'a DVM address as EVM source',
      'out',
      { src: { address: bob.bech32 } },
      'Src address must be an ERC55 address in case of "EVM" domain',
    ],
    [
      'an EVM address as DVM destination',
      'out',
      { dst: { address: alice.erc55 } },
      'Dst address must be a legacy or Bech32 address in case of "DVM" domain',
    ],
    ['no public key', 'in', { input: { spends: alice.bech32, witness: [] } }, NO_AUTH],
    ['the key of another owner', 'in', { input: { spends: bob.bech32, witness: [SIGNATURE, bob.key] } }, NO_AUTH],
    ['the key of another owner', 'out', { input: { spends: alice.bech32, witness: [SIGNATURE, alice.key] } }, NO_AUTH],
    ['an output of another script', 'out', { input: { spends: script(9), witness: [SIGNATURE, bob.key] } }, NO_AUTH],
    [
      'a contract as destination',
      'in',
      { dst: { address: erc55Script(addressBytes(tokenAddress(1))) } },
      'TransferDomain EVM destination is a smart contract',
    ],
    ['too small a balance', 'in', both(100n * COIN + 1n), 'amount 90.00000000 is less than 100.00000001'],
    ['too much data', 'in', { dst: { data: new Uint8Array(1025) } }, 'Excess data set, maximum allow is 1024'],
    ['too much data', 'out', { src: { data: new Uint8Array(1025) } }, 'Excess data set, maximum allow is 1024'],
    ['1024 bytes of invalid data', 'in', { dst: { data: new Uint8Array(1024) } }, `${BAD_IN}Error: decoding raw tx to TransactionV2`],
    ['no data', 'out', { src: { data: EMPTY_BYTES } }, `${BAD_OUT}Error: decoding raw tx to TransactionV2`],
    [
      'an EIP-1559 transaction',
      'in',
      { evmTx: { type: 2, maxFee: 0n, maxPriorityFee: 0n } },
      `${BAD_IN}[validate_raw_transferdomain_tx] invalid evm tx type 2`,
    ],
    [
      'another signer',
      'in',
      { signer: bob },
      `${BAD_IN}[validate_raw_transferdomain_tx] invalid sender, signed_tx.sender : ${hex(bob.evm)}, transferdomain sender : ${hex(alice.evm)}`,
    ],
    ['a value', 'in', { evmTx: { value: 1n } }, `${BAD_IN}value not equal to zero`],
    ['a gas price', 'in', { evmTx: { gasPrice: 1n } }, `${BAD_IN}gas price not equal to zero`],
    ['a gas limit', 'out', { evmTx: { gasLimit: 1n } }, `${BAD_OUT}gas limit not equal to zero`],
    [
      'another contract',
      'in',
      { evmTx: { to: addressWord(bob.evm) } },
      `${BAD_IN}invalid call address. Fixed address: 0xdf00000000000000000000000000000000000001, signed_tx call address: ${hex(bob.evm)}`,
    ],
    ['the creation of a contract', 'in', { evmTx: { to: undefined } }, `${BAD_IN}tx action not a call to transferdomain contract address`],
    ['another function', 'in', { call: { contract: tokenAddress(1) } }, `${BAD_IN}invalid function signature input in evm tx`],
    ['no function', 'in', { evmTx: { data: fromHex('d57b28') } }, `${BAD_IN}invalid function signature input in evm tx`],
    ['a function without arguments', 'out', { evmTx: { data: fromHex('d57b2826') } }, `${BAD_OUT}EVM: ethabi error`],
    [
      'another token',
      'in',
      { ...both(COIN, BTC), tokenId: BTC, call: { contract: tokenAddress(2) } },
      `${BAD_IN}invalid contract address input in evm tx`,
    ],
    ['another sender in the call', 'in', { call: { from: addressWord(alice.evm) } }, `${BAD_IN}invalid from address input in evm tx`],
    ['another recipient in the call', 'out', { call: { to: addressWord(bob.evm) } }, `${BAD_OUT}invalid to address input in evm tx`],
    ['another amount', 'out', { call: { wei: 1n } }, `${BAD_OUT}invalid value input in evm tx`],
    ['another DVM address', 'out', { call: { native: addressOf(bob.bech32) } }, `${BAD_OUT}invalid native address input in evm tx`],
    ['a used nonce', 'in', { nonce: 1n }, `${BAD_IN}Invalid nonce. Account nonce 2, signed_tx nonce 1`],
    [
      'a nonce that is too high',
      'in',
      { nonce: 3n },
      'Error bridging DFI: [execute_tx] nonce check failed. Account nonce 2, signed_tx nonce 3',
    ],
    ['a nonce that is too high', 'out', { nonce: 1n }, `Not enough balance in ${formatErc55(bob.evm)} to cover "EVM" domain transfer`],
    [
      'more DFI than the balance',
      'out',
      { amount: 10n * COIN + 1n },
      `Not enough balance in ${formatErc55(bob.evm)} to cover "EVM" domain transfer`,
    ],
    [
      'more of a token than the balance',
      'out',
      { ...both(5n * COIN + 1n, BTC), tokenId: BTC, amount: 5n * COIN + 1n },
      `Error bridging DST20: [execute_tx] DST20 bridge failed VM execution Revert(Reverted), data [${REVERT_DATA.join(', ')}]`,
    ],
  ];
  for (const [name, edge, change, expected] of asked) {
    test(`is rejected with ${name} (${edge})`, () => {
      const fixture = filledFixture();
      const right: Wish = edge === 'in' ? { ...ten, amount: 5n * COIN, nonce: 2n } : back;
      assert.equal(refusal(fixture, edge, { ...right, ...change }), expected);
    });
  }

  const bool = (value: boolean): AttributeValue => ({ kind: 'bool', value });
  const formats = (...value: readonly number[]): AttributeValue => ({ kind: 'formats', value });
  const governed: readonly (readonly [string, AttributeValue, 'in' | 'out', Partial<Wish>, string])[] = [
    ['params/feature/transferdomain', bool(false), 'in', {}, 'Cannot create tx, transfer domain is not enabled'],
    ['params/feature/evm', bool(false), 'in', {}, 'EVM is not enabled on this block'],
    ['transferdomain/dvm-evm/enabled', bool(false), 'in', {}, 'DVM to EVM is not currently enabled'],
    ['transferdomain/evm-dvm/enabled', bool(false), 'out', {}, 'EVM to DVM is not currently enabled'],
    ['transferdomain/dvm-evm/native-enabled', bool(false), 'in', {}, 'transferdomain for DFI from DVM to EVM is not enabled'],
    ['transferdomain/evm-dvm/native-enabled', bool(false), 'out', {}, 'transferdomain for DFI from EVM to DVM is not enabled'],
    ['transferdomain/dvm-evm/dat-enabled', bool(false), 'in', { tokenId: BTC }, 'transferdomain for DST20 from DVM to EVM is not enabled'],
    ['transferdomain/evm-dvm/dat-enabled', bool(false), 'out', { tokenId: BTC }, 'transferdomain for DST20 from EVM to DVM is not enabled'],
    ['transferdomain/dvm-evm/src-formats', formats(3), 'in', {}, 'Src address must be a legacy or Bech32 address in case of "DVM" domain'],
    ['transferdomain/dvm-evm/dest-formats', formats(1), 'in', {}, 'Dst address must be an ERC55 address in case of "EVM" domain'],
    ['transferdomain/evm-dvm/src-formats', formats(1), 'out', {}, 'Src address must be an ERC55 address in case of "EVM" domain'],
    [
      'transferdomain/evm-dvm/dest-formats',
      formats(5),
      'out',
      {},
      'Dst address must be a legacy or Bech32 address in case of "DVM" domain',
    ],
    ['transferdomain/evm-dvm/auth-formats', formats(4), 'out', {}, NO_AUTH],
    [
      'transferdomain/dvm-evm/dest-formats',
      formats(1),
      'in',
      { dst: { address: bob.bech32 } },
      'Src address must be an ERC55 address in case of "EVM" domain',
    ],
  ];
  for (const [path, value, edge, change, expected] of governed) {
    test(`is rejected by governance: ${path} (${edge})`, () => {
      const fixture = filledFixture();
      set(fixture, path, value);
      assert.equal(
        refusal(fixture, edge, { ...(edge === 'in' ? { ...ten, amount: COIN, nonce: 2n } : { ...back, amount: COIN }), ...change }),
        expected,
      );
    });
  }

  test('rejects tokens unless governance enables them', () => {
    const fixture = startedFixture();
    fixture.view.delete(attributes, attributeAt('v0/transferdomain/dvm-evm/dat-enabled'));
    const expected = 'transferdomain for DST20 from DVM to EVM is not enabled';
    assert.equal(refusal(fixture, 'in', { ...ten, tokenId: BTC }), expected);
  });

  test('P2PKH proofs: any key into the EVM, only uncompressed key hashes out of it', () => {
    const shows = (key: Uint8Array) => ({ scriptSig: buildScript(SIGNATURE, key) });
    const fixture = startedFixture();
    fixture.give(alice.legacy, 0, 10n * COIN);
    const fromLegacy = { ...ten, src: { address: alice.legacy }, input: { spends: alice.legacy, witness: [], ...shows(alice.key) } };
    assert.equal(refusal(fixture, 'in', fromLegacy), undefined);
    assert.equal(
      refusal(fixture, 'out', { ...back, amount: COIN, input: { spends: bob.legacy, witness: [], ...shows(bob.key) } }),
      NO_AUTH,
    );
    const long = { spends: bob.oldLegacy, witness: [], ...shows(bob.long) };
    assert.equal(refusal(fixture, 'out', { ...back, amount: COIN, input: long }), undefined);
    for (const scriptSig of [EMPTY_BYTES, Uint8Array.of(0xff), buildScript(SIGNATURE)]) {
      const broken = { spends: legacyScript(1), scriptSig, witness: [] };
      assert.equal(refusal(fixture, 'in', { ...ten, nonce: 1n, input: broken }), NO_AUTH);
    }
  });

  test('is rejected in the first EVM block', () => {
    const fixture = startedFixture();
    const first = new DfiFixture(late, HEIGHT);
    for (const path of ['params/feature/evm', 'params/feature/transferdomain']) set(first, path, { kind: 'bool', value: true });
    first.give(alice.bech32, 0, 100n * COIN);
    openEvmBlock(first);
    assert.equal(refusal(first, 'in', ten), 'Error bridging DFI: genesis block, tx cannot be added into block template');
    assert.equal(refusal(fixture, 'in', ten), undefined);
  });

  function outcomeAt(fixture: DfiFixture, tx: Transaction, evmStage: EvmStage, evmEnabled?: boolean): CustomTxOutcome {
    const spent = tx.vin.map(() => ({ out: dfi(1n, alice.bech32), height: 1, coinbase: false }));
    const block = { height: HEIGHT, time: 0, params: fixture.params, coin: () => undefined, blockTime: () => undefined, evmStage };
    return applyCustomTx({ tx, txIndex: 1, spent }, evmEnabled === undefined ? block : { ...block, evmEnabled }, fixture.view);
  }

  test('in the mempool debits the DVM account and does not credit the EVM account', () => {
    const fixture = startedFixture();
    for (const nonce of [0n, 7n]) {
      const outcome = outcomeAt(fixture, make(fixture, 'in', { ...ten, nonce }), 'pool');
      assert.equal(outcome.status, 'applied');
      if (outcome.status !== 'applied') return;
      const { overlay } = outcome.effects;
      assert.equal(balanceOf(overlay, alice.bech32, 0), 90n * COIN);
      assert.equal(evmAccountOf(fixture, bob.evm).wei, 0n);
      assert.deepEqual(transferStats(overlay).dvmOut, []);
    }
  });

  test('depends on the EVM feature as of before the block', () => {
    const fixture = startedFixture();
    const tx = make(fixture, 'in', ten);
    const messageOf = (outcome: CustomTxOutcome) => (outcome.status === 'failed' ? outcome.message : outcome.status);
    assert.equal(messageOf(outcomeAt(fixture, tx, 'block', false)), 'EVM is not enabled on this block');
    assert.equal(messageOf(outcomeAt(fixture, tx, 'pool', false)), 'EVM is not enabled on this block');
    assert.equal(messageOf(outcomeAt(fixture, tx, 'call', false)), 'TransferDomainTx: Cannot create tx, EVM is not enabled');
    set(fixture, 'params/feature/evm', { kind: 'bool', value: false });
    assert.equal(messageOf(outcomeAt(fixture, tx, 'block', true)), 'applied');
  });

  test('is rejected before Metachain', () => {
    const early = heights({ ...GRAND_CENTRAL, metachain: HEIGHT + 1 });
    const outcome = outcomeAt(new DfiFixture(early, HEIGHT), make(startedFixture(), 'in', ten), 'call');
    assert.equal(outcome.status === 'failed' && outcome.message, 'TransferDomainTx: called before Metachain height');
  });
});

describe('an amount that leaves the EVM after splits', () => {
  const split = heights({ ...GRAND_CENTRAL, metachain: 0, df23: HEIGHT - 1 });
  const locking = heights({ ...GRAND_CENTRAL, metachain: 0, df23: HEIGHT - 1, df24: HEIGHT - 1 });
  const halves = { newId: NEW_BTC, multiplier: -2n, isFraction: false };
  const out = { from: bob, to: alice, amount: 5n * COIN, tokenId: BTC };

  test('is converted by all of them, and minted', () => {
    const fixture = filledFixture(split);
    fixture.view.put(splitRecords, BTC, halves);
    fixture.view.put(splitRecords, NEW_BTC, { newId: NEWEST_BTC, multiplier: 150_000_000n, isFraction: true });
    assert.equal(refusal(fixture, 'out', out), undefined);
    const have = [BTC, NEW_BTC, NEWEST_BTC].map((id) => fixture.balance(alice.bech32, id));
    assert.deepEqual(have, [45n * COIN, 0n, 375_000_000n]);
    const minted = [NEW_BTC, NEWEST_BTC].map((id) => getToken(fixture.view, id)?.minted);
    assert.deepEqual(minted, [250_000_000n, 375_000_000n]);
    assert.deepEqual(
      transferStats(fixture.view).dvmIn,
      [{ tokenId: BTC, amount: 5n * COIN }],
      'statistics count the amount before conversion',
    );
  });

  test('is not converted before DF23', () => {
    const fixture = filledFixture();
    fixture.view.put(splitRecords, BTC, halves);
    assert.equal(refusal(fixture, 'out', out), undefined);
    assert.equal(fixture.balance(alice.bech32, BTC), 50n * COIN);
  });

  /** State in which a restart locked a part of the old token. */
  function lockedFixture(params: typeof split, ratio: bigint): DfiFixture {
    const fixture = filledFixture(params);
    fixture.view.put(splitRecords, BTC, halves);
    fixture.view.put(attributes, liveKey('locked_tokens'), { kind: 'balances', value: [{ tokenId: BTC, amount: 1n }] });
    setLockRatio(fixture.view, ratio);
    return fixture;
  }

  const cases: readonly (readonly [string, bigint, bigint, bigint])[] = [
    ['nine tenths', 90_000_000n, 5n * COIN, 225_000_000n],
    ['nothing, after the release of all', 0n, 5n * COIN, 0n],
    ['a satoshi of two, rounded up', 90_000_000n, 4n, 2n],
    ['all', COIN, 5n * COIN, 250_000_000n],
  ];
  for (const [name, ratio, moved, locked] of cases) {
    test(`is locked for its owner if the token was restarted: ${name}`, () => {
      const fixture = lockedFixture(locking, ratio);
      assert.equal(refusal(fixture, 'out', { ...out, amount: moved }), undefined);
      assert.deepEqual(
        [fixture.balance(alice.bech32, NEW_BTC), fixture.balance(CONTRACT.tokenLock, NEW_BTC)],
        [moved / 2n - locked, locked],
      );
      const held = [...fixture.view.entries(lockedTokens)].map(([owner, balances]) => [equalBytes(owner, alice.bech32), balances]);
      assert.deepEqual(held, locked === 0n ? [] : [[true, [{ tokenId: NEW_BTC, amount: locked }]]]);
    });
  }

  test('is not locked before DF24', () => {
    const fixture = lockedFixture(split, 90_000_000n);
    assert.equal(refusal(fixture, 'out', out), undefined);
    assert.equal(fixture.balance(alice.bech32, NEW_BTC), 250_000_000n);
  });
});
