/** Opcodes by name. A byte below `PUSHDATA1` pushes that many bytes. */
export const Op = {
  ZERO: 0x00,
  PUSHDATA1: 0x4c,
  PUSHDATA2: 0x4d,
  PUSHDATA4: 0x4e,
  ONE_NEGATE: 0x4f,
  RESERVED: 0x50,
  ONE: 0x51,
  SIXTEEN: 0x60,
  NOP: 0x61,
  VER: 0x62,
  IF: 0x63,
  NOTIF: 0x64,
  VERIF: 0x65,
  VERNOTIF: 0x66,
  ELSE: 0x67,
  ENDIF: 0x68,
  VERIFY: 0x69,
  RETURN: 0x6a,
  TOALTSTACK: 0x6b,
  FROMALTSTACK: 0x6c,
  TWO_DROP: 0x6d,
  TWO_DUP: 0x6e,
  THREE_DUP: 0x6f,
  TWO_OVER: 0x70,
  TWO_ROT: 0x71,
  TWO_SWAP: 0x72,
  IFDUP: 0x73,
  DEPTH: 0x74,
  DROP: 0x75,
  DUP: 0x76,
  NIP: 0x77,
  OVER: 0x78,
  PICK: 0x79,
  ROLL: 0x7a,
  ROT: 0x7b,
  SWAP: 0x7c,
  TUCK: 0x7d,
  CAT: 0x7e,
  SUBSTR: 0x7f,
  LEFT: 0x80,
  RIGHT: 0x81,
  SIZE: 0x82,
  INVERT: 0x83,
  AND: 0x84,
  OR: 0x85,
  XOR: 0x86,
  EQUAL: 0x87,
  EQUALVERIFY: 0x88,
  RESERVED1: 0x89,
  RESERVED2: 0x8a,
  ONE_ADD: 0x8b,
  ONE_SUB: 0x8c,
  TWO_MUL: 0x8d,
  TWO_DIV: 0x8e,
  NEGATE: 0x8f,
  ABS: 0x90,
  NOT: 0x91,
  ZERO_NOT_EQUAL: 0x92,
  ADD: 0x93,
  SUB: 0x94,
  MUL: 0x95,
  DIV: 0x96,
  MOD: 0x97,
  LSHIFT: 0x98,
  RSHIFT: 0x99,
  BOOLAND: 0x9a,
  BOOLOR: 0x9b,
  NUMEQUAL: 0x9c,
  NUMEQUALVERIFY: 0x9d,
  NUMNOTEQUAL: 0x9e,
  LESSTHAN: 0x9f,
  GREATERTHAN: 0xa0,
  LESSTHANOREQUAL: 0xa1,
  GREATERTHANOREQUAL: 0xa2,
  MIN: 0xa3,
  MAX: 0xa4,
  WITHIN: 0xa5,
  RIPEMD160: 0xa6,
  SHA1: 0xa7,
  SHA256: 0xa8,
  HASH160: 0xa9,
  HASH256: 0xaa,
  CODESEPARATOR: 0xab,
  CHECKSIG: 0xac,
  CHECKSIGVERIFY: 0xad,
  CHECKMULTISIG: 0xae,
  CHECKMULTISIGVERIFY: 0xaf,
  NOP1: 0xb0,
  CHECKLOCKTIMEVERIFY: 0xb1,
  CHECKSEQUENCEVERIFY: 0xb2,
  NOP4: 0xb3,
  NOP5: 0xb4,
  NOP6: 0xb5,
  NOP7: 0xb6,
  NOP8: 0xb7,
  NOP9: 0xb8,
  NOP10: 0xb9,
  /** Unassigned before the Metachain height. */
  KECCAK: 0xc0,
  INVALIDOPCODE: 0xff,
} as const;

/** Digits for words in the names of opcodes. */
const NUMBER_WORDS: Readonly<Record<string, string>> = { ONE: '1', TWO: '2', THREE: '3', ZERO: '0' };

function displayName(key: string): string {
  const [head = '', ...rest] = key.split('_');
  const digit = NUMBER_WORDS[head];
  return digit === undefined || rest.length === 0 ? `OP_${key}` : `OP_${digit}${rest.join('')}`;
}

function buildNames(): readonly string[] {
  const names = new Array<string>(256).fill('OP_UNKNOWN');
  for (const [key, code] of Object.entries(Op)) names[code] = displayName(key);
  names[Op.ZERO] = '0';
  names[Op.ONE_NEGATE] = '-1';
  for (let n = 1; n <= 16; n++) names[Op.ONE + n - 1] = String(n);
  return names;
}

const NAMES = buildNames();

/**
 * Name of an opcode in script asm: small numbers as digits, unassigned ones `OP_UNKNOWN`.
 * @param metachain name OP_KECCAK
 */
export function opcodeName(opcode: number, metachain = false): string {
  if (opcode === Op.KECCAK && !metachain) return 'OP_UNKNOWN';
  return NAMES[opcode] ?? 'OP_UNKNOWN';
}

/** OP_1 to OP_16. */
export function isSmallInteger(opcode: number): boolean {
  return opcode >= Op.ONE && opcode <= Op.SIXTEEN;
}

/** Number pushed by OP_0 or OP_1 to OP_16. */
export function smallIntegerOf(opcode: number): number {
  return opcode === Op.ZERO ? 0 : opcode - Op.ONE + 1;
}

/** Opcode that pushes a number from 0 to 16. */
export function smallIntegerOpcode(value: number): number {
  return value === 0 ? Op.ZERO : Op.ONE + value - 1;
}
