/** Script verification flags, as bits. Names as in the published vectors. */
export const VerifyFlag = {
  P2SH: 1 << 0,
  STRICTENC: 1 << 1,
  DERSIG: 1 << 2,
  LOW_S: 1 << 3,
  NULLDUMMY: 1 << 4,
  SIGPUSHONLY: 1 << 5,
  MINIMALDATA: 1 << 6,
  DISCOURAGE_UPGRADABLE_NOPS: 1 << 7,
  CLEANSTACK: 1 << 8,
  CHECKLOCKTIMEVERIFY: 1 << 9,
  CHECKSEQUENCEVERIFY: 1 << 10,
  WITNESS: 1 << 11,
  DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM: 1 << 12,
  MINIMALIF: 1 << 13,
  NULLFAIL: 1 << 14,
  WITNESS_PUBKEYTYPE: 1 << 15,
  CONST_SCRIPTCODE: 1 << 16,
  /** OP_KECCAK and witness programs of version 16, from the Metachain height on. Published vectors do not have this flag. */
  METACHAIN: 1 << 17,
  /** Owners may be impersonated, in development networks only. Published vectors do not have this flag. */
  IMPERSONATION: 1 << 18,
} as const;

export type VerifyFlagName = keyof typeof VerifyFlag;

/** A set of flags. */
export type VerifyFlags = number;

/** The set of the named flags. */
export function flagsOf(...names: readonly VerifyFlagName[]): VerifyFlags {
  return names.reduce((flags, name) => flags | VerifyFlag[name], 0);
}

/** Flags of every block at any height. */
export const MANDATORY_FLAGS: VerifyFlags = VerifyFlag.P2SH;

/** Flags of relay. @see docs/protocol/chain.md 5.2 */
export const STANDARD_FLAGS: VerifyFlags = flagsOf(
  'P2SH',
  'DERSIG',
  'STRICTENC',
  'MINIMALDATA',
  'NULLDUMMY',
  'DISCOURAGE_UPGRADABLE_NOPS',
  'CLEANSTACK',
  'MINIMALIF',
  'NULLFAIL',
  'CHECKLOCKTIMEVERIFY',
  'CHECKSEQUENCEVERIFY',
  'LOW_S',
  'WITNESS',
  'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM',
  'WITNESS_PUBKEYTYPE',
  'CONST_SCRIPTCODE',
);
