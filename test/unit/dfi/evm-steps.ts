import { putEvmBlock } from '../../../src/dfi/evm/blocks.js';
import { startEvmBlock } from '../../../src/dfi/evm/evm-block.js';
import { EvmState } from '../../../src/dfi/evm/view-state.js';
import { tokenAddress } from '../../../src/evm/contracts/addresses.js';
import { Dst20Slot, mappingSlot } from '../../../src/evm/contracts/slots.js';
import type { StateBelow } from '../../../src/evm/state/transaction-state.js';
import { addressWord } from '../../../src/evm/words.js';
import type { DfiFixture } from './fixture.js';

/** Opens the next EVM block of a fixture. */
export function openEvmBlock(fixture: DfiFixture, height = fixture.height): void {
  const { view, params } = fixture;
  const beneficiary = new Uint8Array(20).fill(9);
  const site = { height, params, time: 1_600_000_000 + height, bits: 0x207fffff, beneficiary, findPrecompile: () => undefined };
  fixture.evm = { evmBlock: startEvmBlock(view, site) };
}

/** Ends the EVM block of a fixture and stores it. */
export function closeEvmBlock(fixture: DfiFixture, height = fixture.height): void {
  const built = fixture.evm.evmBlock?.finish();
  if (built) putEvmBlock(fixture.view, built, { dvmHeight: height, dvmHash: new Uint8Array(32).fill(height & 255), txids: new Map() });
  fixture.evm = {};
}

/** Stores the first EVM block, with the contracts of the network, and opens the second. */
export function startEvm(fixture: DfiFixture): void {
  openEvmBlock(fixture, fixture.height - 1);
  closeEvmBlock(fixture, fixture.height - 1);
  openEvmBlock(fixture);
}

/** State of the EVM block under construction, or of the last one. */
function evmStateIn({ evm, view }: DfiFixture): StateBelow {
  return evm.evmBlock?.state ?? new EvmState(view);
}

/** Balance of an EVM address in wei, and the nonce of its next transaction. */
export function evmAccountOf(fixture: DfiFixture, address: Uint8Array): { readonly wei: bigint; readonly nonce: bigint } {
  const { balance = 0n, nonce = 0n } = evmStateIn(fixture).account(addressWord(address)) ?? {};
  return { wei: balance, nonce };
}

/** Balance of a token's contract, with 18 decimals. */
export function evmTokenOf(fixture: DfiFixture, address: Uint8Array, tokenId: number): bigint {
  return evmStateIn(fixture).storage(tokenAddress(tokenId), mappingSlot(Dst20Slot.balances, addressWord(address)));
}
