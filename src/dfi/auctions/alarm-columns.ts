import { type Codec, DecodeError, encode, list, optional, struct, u8, u32be } from '../../primitives/codec.js';
import { type Hash256, hash256, NULL_HASH } from '../../primitives/hash.js';
import type { AnyColumn, Column } from '../../storage/view.js';

/** Event that may make a vault liquidatable: a collateral token falls below a price, or any token rises above one. */
export type AlarmCause = 'fall' | 'rise-of-collateral' | 'rise-of-loan';

/** Price of a token at which a vault must be checked. */
export interface TokenAlarm {
  readonly cause: AlarmCause;
  readonly tokenId: number;
  /** Price of the token, of a collateral token times its factor; positive or 0, possibly infinite. */
  readonly price: number;
}

/** Token alarm of a vault. */
export interface PriceAlarmKey extends TokenAlarm {
  readonly vaultId: Hash256;
}

/** Height from which on interest may make a vault liquidatable. */
export interface HeightAlarmKey {
  readonly height: number;
  readonly vaultId: Hash256;
}

/** All alarms of a vault. */
export interface VaultAlarms {
  readonly height: number;
  readonly prices: readonly TokenAlarm[];
}

/** State of the columns of alarms. */
export interface AlarmProgress {
  /** Height of the last block that updated the alarms. They are out of date if an older program connected blocks after it. */
  readonly height: number;
  /** First vault whose alarms are not set yet; undefined if all are set. */
  readonly next: Hash256 | undefined;
}

/** Bytes of the causes in keys. */
const CAUSE_BYTES: Readonly<Record<AlarmCause, number>> = { fall: 0, 'rise-of-collateral': 1, 'rise-of-loan': 2 };
const CAUSES = new Map(Object.entries(CAUSE_BYTES).map(([name, byte]) => [byte, name as AlarmCause]));

/** All causes. */
export const ALARM_CAUSES: readonly AlarmCause[] = [...CAUSES.values()];

const cause: Codec<AlarmCause> = {
  write: (w, value) => u8.write(w, CAUSE_BYTES[value]),
  read(r) {
    const value = CAUSES.get(u8.read(r));
    if (value === undefined) throw new DecodeError('unknown cause of an alarm');
    return value;
  },
};

const scratch = new DataView(new ArrayBuffer(8));

/** A number that is not negative, in big-endian order: its bytes ascend with it. */
const ascending: Codec<number> = {
  write(w, value) {
    scratch.setFloat64(0, value);
    u32be.write(w, scratch.getUint32(0));
    u32be.write(w, scratch.getUint32(4));
  },
  read(r) {
    scratch.setUint32(0, u32be.read(r));
    scratch.setUint32(4, u32be.read(r));
    return scratch.getFloat64(0);
  },
};

const tokenAlarm = { cause, tokenId: u32be, price: ascending };

/** Vaults by cause, token and price, ascending. */
export const priceAlarms: Column<PriceAlarmKey, number> = {
  name: 'dfi/vault-alarm-price',
  key: struct<PriceAlarmKey>({ ...tokenAlarm, vaultId: hash256 }),
  value: u8,
};

/** Key bytes that all alarms of a cause share, or of a cause and token. */
export function alarmPrefix(cause: AlarmCause, tokenId?: number): Uint8Array {
  return encode(priceAlarms.key, { cause, tokenId: tokenId ?? 0, price: 0, vaultId: NULL_HASH }).subarray(0, tokenId === undefined ? 1 : 5);
}

/** Vaults by height, ascending. */
export const heightAlarms: Column<HeightAlarmKey, number> = {
  name: 'dfi/vault-alarm-height',
  key: struct<HeightAlarmKey>({ height: u32be, vaultId: hash256 }),
  value: u8,
};

/** Heights of {@link heightAlarms} by vault. */
export const vaultAlarms: Column<Hash256, VaultAlarms> = {
  name: 'dfi/vault-alarm',
  key: hash256,
  value: struct<VaultAlarms>({ height: u32be, prices: list(struct<TokenAlarm>(tokenAlarm)) }),
};

/** Under the single key 0. */
export const alarmProgress: Column<number, AlarmProgress> = {
  name: 'dfi/vault-alarm-progress',
  key: u8,
  value: struct<AlarmProgress>({ height: u32be, next: optional(hash256) }),
};

/** Columns of the alarms of vaults. */
export const alarmColumns: readonly AnyColumn[] = [priceAlarms, heightAlarms, vaultAlarms, alarmProgress];
