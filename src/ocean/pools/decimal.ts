import { roundedQuotient } from '../../util/numbers.js';
import { plain } from '../shapes/numbers.js';

/** Decimals of a quotient. */
const QUOTIENT_DECIMALS = 20;

/**
 * Exact decimal. Sums and products keep all digits, quotients are rounded half up to 20 decimals: the arithmetic in which the clients of
 * this API expect prices. @see docs/protocol/ocean.md 3
 */
export class Decimal {
  static readonly ZERO = new Decimal(0n, 0);

  /** The number is `units` / 10^`decimals`. */
  constructor(
    readonly units: bigint,
    readonly decimals: number,
  ) {}

  /** Amount of satoshis as a number of coins. */
  static ofAmount(satoshis: bigint): Decimal {
    return new Decimal(satoshis, 8);
  }

  /** @param digits decimal without exponent, e.g. an amount of an operation */
  static parse(digits: string): Decimal {
    const [whole = '', fraction = ''] = digits.split('.');
    return new Decimal(BigInt(whole + fraction), fraction.length);
  }

  get isZero(): boolean {
    return this.units === 0n;
  }

  plus(other: Decimal): Decimal {
    const decimals = Math.max(this.decimals, other.decimals);
    return new Decimal(this.#unitsAt(decimals) + other.#unitsAt(decimals), decimals);
  }

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(-other.units, other.decimals));
  }

  times(other: Decimal | bigint): Decimal {
    if (typeof other === 'bigint') return new Decimal(this.units * other, this.decimals);
    return new Decimal(this.units * other.units, this.decimals + other.decimals);
  }

  /** @throws {RangeError} if the divisor is 0 */
  dividedBy(divisor: Decimal): Decimal {
    const dividend = this.units * 10n ** BigInt(QUOTIENT_DECIMALS + divisor.decimals);
    const by = divisor.units * 10n ** BigInt(this.decimals);
    const isNegative = dividend < 0n !== by < 0n;
    const rounded = roundedQuotient(size(dividend), size(by));
    return new Decimal(isNegative ? -rounded : rounded, QUOTIENT_DECIMALS);
  }

  /** Rounded half up to so many decimals. */
  rounded(decimals: number): Decimal {
    const scale = 10n ** BigInt(Math.max(0, this.decimals - decimals));
    const units = (2n * size(this.units) + scale) / (2n * scale);
    return new Decimal(this.units < 0n ? -units : units, Math.min(decimals, this.decimals));
  }

  /** Nearest double. */
  toNumber(): number {
    return Number(this.toString());
  }

  /** All digits, without zeros at the end and without exponent. */
  toString(): string {
    const { units, decimals } = this;
    const digits = size(units)
      .toString()
      .padStart(decimals + 1, '0');
    const whole = digits.length - decimals;
    const sign = units < 0n ? '-' : '';
    return plain(decimals === 0 ? sign + digits : `${sign}${digits.slice(0, whole)}.${digits.slice(whole)}`);
  }

  #unitsAt(decimals: number): bigint {
    return this.units * 10n ** BigInt(decimals - this.decimals);
  }
}

function size(value: bigint): bigint {
  return value < 0n ? -value : value;
}
