import { COIN } from '../../primitives/amount.js';
import { divide, low64, multiplyDivide } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';

/** One pool on the way from a collateral to DUSD, as it stands before the swap. */
export interface SwapLeg {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** What is left of 1 after the fee on what goes in, of COIN. */
  readonly factorIn: bigint;
  /** The same for what comes out. */
  readonly factorOut: bigint;
  /** The same for the commission. */
  readonly factorCommission: bigint;
}

/** What a vault holds of the collateral that is swapped, and what it needs. */
export interface SwapShare {
  /** Satoshis of the collateral. */
  readonly held: bigint;
  /** Satoshis of DUSD. */
  readonly needed: bigint;
}

/** So much of a collateral is taken to bring so many DUSD, both in satoshis. */
export interface SwapRate {
  readonly collateral: bigint;
  readonly dollars: bigint;
}

const REFINEMENTS = 3;

/**
 * What the collateral is going to cost: guessed from the swap that would bring all that is needed, then from what vaults can give at
 * that rate, three times.
 * @throws {TxRejected} if the pools do not hold as much
 * @throws {ArithmeticError}
 * @see docs/protocol/defi.md 9.7
 */
export function estimateRate(legs: readonly SwapLeg[], shares: readonly SwapShare[]): SwapRate {
  let rate = costOfAll(legs, shares);
  for (let round = 0; round < REFINEMENTS; round++) rate = refine(legs, shares, rate);
  return rate;
}

function costOfAll(legs: readonly SwapLeg[], shares: readonly SwapShare[]): SwapRate {
  const total = shares.reduce((sum, { needed }) => sum + BigInt.asUintN(64, needed), 0n);
  const cost = legs.reduceRight((wanted, leg) => inputFor(leg, wanted), total);
  return { collateral: low64(cost), dollars: low64(total) };
}

/** The commission is undone by a division by its factor alone, which leaves the result as large as the fee factor makes it. */
function inputFor({ reserveIn, reserveOut, factorIn, factorOut, factorCommission }: SwapLeg, wanted: bigint): bigint {
  const out = divide(wanted * COIN, factorOut);
  if (reserveOut <= out) throw new TxRejected('impossible to get needed swap output for DUSD payback');
  const grown = divideUp(reserveOut * reserveIn, reserveOut - out);
  return divide((grown - reserveIn) * factorIn, factorCommission);
}

function refine(legs: readonly SwapLeg[], shares: readonly SwapShare[], rate: SwapRate): SwapRate {
  const collateral = shares.reduce((sum, { held, needed }) => {
    const wanted = multiplyDivide(needed, rate.collateral, rate.dollars);
    return sum + (wanted < held ? wanted : held);
  }, 0n);
  return { collateral, dollars: low64(legs.reduce(outputOf, collateral)) };
}

/** What is not exact is rounded against the vaults. */
function outputOf(given: bigint, { reserveIn, reserveOut, factorIn, factorOut, factorCommission }: SwapLeg): bigint {
  const input = (((given * factorIn) / COIN) * factorCommission) / COIN;
  const product = reserveIn * reserveOut;
  const rest = divide(product, reserveIn + input);
  const left = rest < reserveOut ? divideUp(product, reserveIn + input) : rest;
  return ((reserveOut - left) * factorOut) / COIN;
}

function divideUp(a: bigint, b: bigint): bigint {
  return divide(a + b - 1n, b);
}

/**
 * How much of its collateral a vault gives: all that it has, or enough for what it needs, where rounding may ask for more than it has.
 * @throws {ArithmeticError}
 */
export function givenAt({ collateral, dollars }: SwapRate, { held, needed }: SwapShare): bigint {
  const wanted = multiplyDivide(needed, collateral, dollars);
  if (wanted >= held) return held;
  if (multiplyDivide(wanted, dollars, collateral) === needed) return wanted;
  return wanted + (collateral > dollars ? divide(collateral, dollars) + 1n : 1n);
}
