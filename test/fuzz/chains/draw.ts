import { formatAmount } from '../../../src/primitives/amount.js';
import type { Random } from '../mutate.js';
import type { EvmValues } from './ethereum.js';
import type { Holding, WorldValues } from './world-values.js';

/** An amount as operations take it, `1.5@DFI`. */
export function holdingText({ symbol, amount }: Holding): string {
  return `${formatAmount(amount)}@${symbol}`;
}

/** A key that both wallets have, with its address on each side. */
export interface KeyAddresses {
  readonly native: string;
  readonly evm: string;
  /** Private key, 32 bytes. */
  readonly secret: Uint8Array;
}

/** Source of random values. */
export interface DrawFrom {
  readonly values: WorldValues;
  /** Keys of both wallets; the first is that of a member of the foundation. */
  readonly keys: readonly KeyAddresses[];
  /** Undefined without an EVM. */
  readonly evm: EvmValues | undefined;
  /** Seconds since 1970. */
  readonly time: number;
  /** True from DF24 on. Before it `defid` 4.2.5 ends on a message that releases locked tokens: its list of upgrades lacks DF24. */
  readonly releasesTokens: boolean;
  /** Names of governance that changes concern; undefined for all. */
  readonly governs?: RegExp | undefined;
}

/** Random values of a chain. */
export class Draw {
  readonly values: WorldValues;
  readonly keys: readonly KeyAddresses[];
  readonly addresses: readonly string[];
  readonly evm: EvmValues | undefined;
  /** Seconds since 1970. */
  readonly time: number;
  readonly releasesTokens: boolean;
  readonly governs: RegExp | undefined;

  constructor(
    readonly random: Random,
    { values, keys, evm, time, releasesTokens, governs }: DrawFrom,
  ) {
    this.values = values;
    this.keys = keys;
    this.addresses = keys.map(({ native }) => native);
    this.evm = evm;
    this.time = time;
    this.releasesTokens = releasesTokens;
    this.governs = governs;
  }

  get founder(): string {
    return this.addresses[0] as string;
  }

  pick<T>(list: readonly T[]): T {
    return this.random.pick(list);
  }

  chance(percent: number): boolean {
    return this.random.below(100) < percent;
  }

  address(): string {
    return this.pick(this.addresses);
  }

  token(): string {
    return this.pick(this.chance(85) ? this.values.tokens : [...this.values.tokens, ...this.values.pools]);
  }

  idOf(symbol: string): string {
    return this.values.ids.get(symbol) ?? '0';
  }

  /** A part of an amount, often a small or an exact one, sometimes more than all of it. */
  part(amount: bigint): bigint {
    const kind = this.random.below(10);
    if (kind === 0) return amount;
    if (kind === 1) return amount + 1n;
    if (kind === 2) return 1n;
    if (kind === 3) return amount / 2n;
    if (kind === 4) return BigInt(1 + this.random.below(1000));
    const share = BigInt(1 + this.random.below(kind < 8 ? 100_000 : 1_000_000));
    return (amount * share) / 1_000_000n + BigInt(this.random.below(3));
  }

  partOf({ symbol, amount }: Holding): Holding {
    return { symbol, amount: this.part(amount) };
  }

  /** An owner whose key the wallets have, with a part of one of its balances. */
  held(wanted: (holding: Holding) => boolean = () => true): { readonly owner: string; readonly part: Holding } | undefined {
    const all = this.addresses.flatMap((owner) =>
      (this.values.balances.get(owner) ?? []).filter(wanted).map((holding) => ({ owner, holding })),
    );
    if (all.length === 0) return undefined;
    const { owner, holding } = this.pick(all);
    return { owner, part: this.partOf(holding) };
  }

  percent(): string {
    return this.pick(['0', '0.01', '0.05', '0.1', '0.3', '0.5', '0.99', '1', '0.00000001', '1.1']);
  }
}

/** Arguments of an operation that changes the chain; undefined if the chain has nothing for it. */
export type Maker = (draw: Draw) => readonly unknown[] | undefined;

/** Makers by operation, and how often each is drawn. */
export type Makers = Readonly<Record<string, { readonly weight: number; readonly make: Maker }>>;
