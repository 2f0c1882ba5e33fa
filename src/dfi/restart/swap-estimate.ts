import { COIN } from '../../primitives/amount.js';
import { divide, low64, multiplyDivide } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';

/** Pool on the path from a collateral token to DUSD, as of before the swap. Amounts are satoshis. */
export interface SwapLeg {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** 1 minus the DEX fee on the input, of COIN. */
  readonly factorIn: bigint;
  /** 1 minus the DEX fee on the output, of COIN. */
  readonly factorOut: bigint;
  /** 1 minus the commission, of COIN. */
  readonly factorCommission: bigint;
}

/** Collateral of a vault to swap, and the DUSD that it needs. */
export interface SwapShare {
  /** Satoshis of the collateral. */
  readonly held: bigint;
  /** Satoshis of DUSD. */
  readonly needed: bigint;
}

/** Estimated rate as a ratio: collateral swapped for an amount of DUSD, both in satoshis. */
export interface SwapRate {
  readonly collateral: bigint;
  readonly dollars: bigint;
}

const REFINEMENTS = 3;

/**
 * Estimates the rate of the swap: first for a swap that yields all DUSD needed, then refined three times with the collateral that the
 * vaults can give at the previous rate.
 * @throws {TxRejected} if the pools have too few DUSD
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

/** Input for a wanted output. As in `defid` the result is multiplied by the input fee factor, not divided by it. */
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

/** Output of a swap, rounded down. */
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
 * Satoshis of collateral that a vault gives: all it has, or enough for the DUSD it needs. Rounding up may exceed what it has.
 * @throws {ArithmeticError}
 */
export function collateralToSwap({ collateral, dollars }: SwapRate, { held, needed }: SwapShare): bigint {
  const wanted = multiplyDivide(needed, collateral, dollars);
  if (wanted >= held) return held;
  if (multiplyDivide(wanted, dollars, collateral) === needed) return wanted;
  return wanted + (collateral > dollars ? divide(collateral, dollars) + 1n : 1n);
}
