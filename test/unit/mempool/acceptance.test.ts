import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { blockScriptFlags } from '../../../src/consensus/script-flags.js';
import { publicKeyOf, signCompact } from '../../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../../src/crypto/hash.js';
import { NULL_OUTPOINT } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TransactionFields, type TxOut } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { buildScript } from '../../../src/script/script.js';
import { WitnessHashes, witnessSignatureHash } from '../../../src/script/sighash.js';
import { concatBytes, EMPTY_BYTES } from '../../../src/util/bytes.js';
import { encodeDer } from '../crypto/der.js';
import { ANYONE, ANYONE_SCRIPT_SIG, carrying, coinbaseOf, DFI, NO_TX, output, PoolNode } from './fixture.js';

const FEE = 10_000n;
let node: PoolNode;
/** Spends block 1's coinbase and pays the usual fee. */
let value: bigint;

before(() => {
  node = new PoolNode();
  value = node.subsidy(1) - FEE;
});

function simple(more: Partial<TransactionFields> & { sequence?: number } = {}): Transaction {
  return node.pay([node.coin(0)], [value], more);
}

function paying(...vout: readonly Partial<TxOut>[]): Transaction {
  return simple({ vout: vout.map((out) => ({ value: DFI, scriptPubKey: ANYONE, tokenId: 0, ...out })) });
}

function tokenPaying(value: bigint): Transaction {
  return simple({ version: 4, vout: [{ value, scriptPubKey: ANYONE, tokenId: 0 }] });
}

/** Spends a P2WPKH output with a signature. */
function signed(own: PoolNode, parent: Transaction, secret: Uint8Array): Transaction {
  const { txFormat } = own.chain.params;
  const fields = own.pay([], [DFI / 2n], { vin: [{ prevout: output(parent), scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] }] });
  const key = publicKeyOf(secret);
  const scriptCode = scriptOf({ type: 'pkh', hash: hash160(key) });
  const hash = witnessSignatureHash(new WitnessHashes(fields, txFormat), 0, { scriptCode, value: DFI, hashType: 1 });
  const witness = [concatBytes(encodeDer(signCompact(hash, secret)), Uint8Array.of(1)), key];
  return makeTransaction({ ...fields, vin: fields.vin.map((input) => ({ ...input, witness })) }, txFormat);
}

const LONE_RETURN = Uint8Array.of(0x6a);

const nonstandard = 'bad-txns-nonstandard-inputs (code 64)';
const cleanStack = 'non-mandatory-script-verify-flag (Extra items left on stack after execution) (code 64)';

/** scriptSig of `size` bytes: unused pushes, then the redeem script. */
function pushes(size: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let left = size - ANYONE_SCRIPT_SIG.length;
  for (; left > 520; left -= 503) parts.push(buildScript(new Uint8Array(500).fill(9)));
  parts.push(left > 257 ? buildScript(new Uint8Array(left - 3).fill(9)) : buildScript(new Uint8Array(left - 2).fill(9)));
  return Buffer.concat([...parts, ANYONE_SCRIPT_SIG]);
}

/** An OP_RETURN script of this many bytes. */
function dataScript(size: number): Uint8Array {
  return buildScript(0x6a, new Uint8Array(size - 4).fill(9));
}

function multisig(count: number): Uint8Array {
  const keys = Array.from({ length: count }, (_, i) => Uint8Array.of(2, ...new Uint8Array(31), i + 1));
  return buildScript(0x51, ...keys, 0x50 + count, 0xae);
}

function ofWeight(weight: number): Transaction {
  const padded = (dataBytes: number) => {
    const data = { value: 0n, scriptPubKey: buildScript(0x6a, new Uint8Array(dataBytes).fill(9)), tokenId: 0 };
    return simple({ vout: [data, ...new Array(3_000).fill({ value: 1_000n, scriptPubKey: ANYONE, tokenId: 0 })] });
  };
  return padded(3_000 + weight / 4 - padded(3_000).strippedSize);
}

test('a plain payment is allowed, and test changes nothing', () => {
  assert.equal(node.tell(simple()), 'allowed');
  assert.equal(node.pool.size, 0);
});

describe('form', () => {
  const input = (scriptSig: Uint8Array) => ({ prevout: node.coin(0), scriptSig, sequence: 0xffffffff, witness: [] });
  const cases: { name: string; tx: () => Transaction; expected: string }[] = [
    { name: 'no inputs', tx: () => simple({ vin: [] }), expected: 'bad-txns-vin-empty (code 16)' },
    { name: 'no outputs', tx: () => simple({ vout: [] }), expected: 'bad-txns-vout-empty (code 16)' },
    { name: 'negative output', tx: () => paying({ value: -1n }), expected: 'bad-txns-vout-negative (code 16)' },
    { name: 'too large output', tx: () => paying({ value: 1_200_000_000n * DFI + 1n }), expected: 'bad-txns-vout-toolarge (code 16)' },
    {
      name: 'same input twice',
      tx: () => node.pay([node.coin(0), node.coin(0)], [value]),
      expected: 'bad-txns-inputs-duplicate (code 16)',
    },
    {
      name: 'coinbase',
      tx: () => simple({ vin: [{ prevout: NULL_OUTPOINT, scriptSig: Uint8Array.of(1, 1), sequence: 0, witness: [] }] }),
      expected: 'coinbase (code 16)',
    },
    { name: 'version 4', tx: () => simple({ version: 4 }), expected: 'allowed' },
    { name: 'version 5', tx: () => simple({ version: 5 }), expected: 'version (code 64)' },
    { name: 'version 0', tx: () => simple({ version: 0 }), expected: 'version (code 64)' },
    { name: 'scriptSig of 1650 bytes', tx: () => simple({ vin: [input(pushes(1650))] }), expected: cleanStack },
    { name: 'scriptSig of 1651 bytes', tx: () => simple({ vin: [input(pushes(1651))] }), expected: 'scriptsig-size (code 64)' },
    {
      name: 'scriptSig that does more than push',
      tx: () => simple({ vin: [input(Uint8Array.of(0x61))] }),
      expected: 'scriptsig-not-pushonly (code 64)',
    },
    { name: 'unknown output script', tx: () => paying({ scriptPubKey: Uint8Array.of(0x51) }), expected: 'scriptpubkey (code 64)' },
    { name: 'largest data output', tx: () => paying({}, { value: 0n, scriptPubKey: dataScript(4_000) }), expected: 'allowed' },
    {
      name: 'larger data output',
      tx: () => paying({}, { value: 0n, scriptPubKey: dataScript(4_001) }),
      expected: 'scriptpubkey (code 64)',
    },
    { name: 'two data outputs', tx: () => paying({}, carrying('a'), carrying('b')), expected: 'multi-op-return (code 64)' },
    {
      name: 'one data output beside lone OP_RETURNs',
      tx: () => paying({}, carrying('a'), { value: 0n, scriptPubKey: LONE_RETURN }, { value: 0n, scriptPubKey: LONE_RETURN }),
      expected: 'allowed',
    },
    { name: 'three keys bare', tx: () => paying({ scriptPubKey: multisig(3) }), expected: 'allowed' },
    { name: 'four keys bare', tx: () => paying({ scriptPubKey: multisig(4) }), expected: 'scriptpubkey (code 64)' },
    { name: 'smallest value above dust', tx: () => paying({}, { value: 540n }), expected: 'allowed' },
    { name: 'dust', tx: () => paying({}, { value: 539n }), expected: 'dust (code 64)' },
    { name: 'smallest value above dust with a token id', tx: () => tokenPaying(543n), expected: 'allowed' },
    { name: 'dust with a token id', tx: () => tokenPaying(542n), expected: 'dust (code 64)' },
    { name: 'weight 400000', tx: () => ofWeight(400_000), expected: 'allowed' },
    { name: 'weight 400004', tx: () => ofWeight(400_004), expected: 'tx-size (code 64)' },
  ];
  for (const c of cases) test(c.name, () => assert.equal(node.tell(c.tx(), { absurdFee: 0n }), c.expected));

  test('above the standard weight nothing is checked that depends on the number of inputs and outputs', () => {
    const lenient = new PoolNode({ coins: 1, policy: { requireStandard: false } });
    const twice = [node.coin(0), node.coin(0)];
    const many = (count: number) => new Array(count).fill({ value: 1_000n, scriptPubKey: ANYONE, tokenId: 0 });
    const tx = node.pay(twice, [], { vout: many(3_200) });
    assert.equal(node.tell(tx), 'tx-size (code 64)');
    assert.equal(lenient.tell(tx), 'bad-txns-inputs-duplicate (code 16)');
    assert.equal(node.tell({ ...tx, vout: [] }), 'bad-txns-vout-empty (code 16)');
    assert.equal(node.tell({ ...tx, strippedSize: 16_000_001 }), 'bad-txns-oversize (code 16)');
    assert.equal(node.tell({ ...tx, version: 9 }), 'version (code 64)');
  });

  test('82 bytes are enough, 81 are not', () => {
    const lenient = new PoolNode({ coins: 1, policy: { requireStandard: false } });
    const sized = (pad: number) =>
      lenient.pay([lenient.coin(0)], [], { vout: [{ value: DFI, scriptPubKey: new Uint8Array(pad).fill(0x61), tokenId: 0 }] });
    const [small, large] = [sized(19), sized(20)];
    assert.deepEqual([small.strippedSize, large.strippedSize], [81, 82]);
    assert.equal(lenient.tell(small), 'tx-size-small (code 64)');
    assert.equal(lenient.tell(large), 'allowed');
  });

  test('bare multisig may be refused', () => {
    const strict = new PoolNode({ coins: 1, policy: { permitBareMultisig: false } });
    const vout = [{ value: DFI, scriptPubKey: multisig(2), tokenId: 0 }];
    assert.equal(strict.tell(strict.pay([strict.coin(0)], [], { vout })), 'bare-multisig (code 64)');
  });

  test('data outputs may be larger from Metachain on', () => {
    const next = new PoolNode({ coins: 1 }).chain.tip.height + 1;
    const own = new PoolNode({ coins: 1, metachain: next });
    // OP_RETURN and the length of the data take four bytes. This pool has no DeFi state, whose limits apply to blocks too.
    const carries = (bytes: number) =>
      own.tell(
        own.pay([own.coin(0)], [DFI], { vout: [{ value: 0n, scriptPubKey: buildScript(0x6a, new Uint8Array(bytes)), tokenId: 0 }] }),
        {
          absurdFee: 0n,
        },
      );
    assert.equal(carries(4_000), 'allowed');
    assert.equal(carries(65_532), 'allowed');
    assert.equal(carries(65_533), 'scriptpubkey (code 64)');
  });

  test('data outputs may be refused', () => {
    const strict = new PoolNode({ coins: 1, policy: { dataCarrierBytes: undefined } });
    assert.equal(strict.tell(strict.pay([strict.coin(0)], [], { vout: [carrying('a')] })), 'scriptpubkey (code 64)');
  });
});

describe('locks and inputs', () => {
  test('lock times by height are checked for the next block', () => {
    const { height } = node.chain.tip;
    assert.equal(node.tell(simple({ lockTime: height, sequence: 0xfffffffe })), 'allowed');
    assert.equal(node.tell(simple({ lockTime: height + 1, sequence: 0xfffffffe })), 'non-final (code 64)');
    assert.equal(node.tell(simple({ lockTime: height + 1 })), 'allowed');
  });

  test('lock times by time are checked against the median time past of the tip', () => {
    const median = node.chain.tip.medianTimePast();
    assert.equal(node.tell(simple({ lockTime: median - 1, sequence: 0xfffffffe })), 'allowed');
    assert.equal(node.tell(simple({ lockTime: median, sequence: 0xfffffffe })), 'non-final (code 64)');
  });

  test('relative lock times are checked for the next block', () => {
    // Block 1 has as many blocks above it as the tip's height.
    const { height } = node.chain.tip;
    assert.equal(node.tell(simple({ sequence: height })), 'allowed');
    assert.equal(node.tell(simple({ sequence: height + 1 })), 'non-BIP68-final (code 64)');
    assert.equal(node.tell(simple({ sequence: height + 1, version: 1 })), 'allowed');
  });

  test('a coinbase is spendable after 100 blocks', () => {
    assert.equal(node.tell(node.pay([node.coin(9)], [DFI])), 'allowed');
    const expected = 'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 99 (code 16)';
    assert.equal(node.tell(node.pay([node.coin(10)], [DFI])), expected);
  });

  test('unknown inputs are reported as missing, not as a rejection', () => {
    assert.deepEqual(node.mempool.test(node.pay([NO_TX], [DFI])), { status: 'missing-inputs', parents: [NO_TX.txid] });
  });

  test('a confirmed transaction is known as long as one of its outputs is unspent', () => {
    const own = new PoolNode({ coins: 2 });
    const tx = own.pay([own.coin(0)], [DFI, DFI]);
    own.mine([tx]);
    assert.equal(own.tell(tx), 'txn-already-known (code 18)');
    own.mine([own.pay([output(tx, 0), output(tx, 1)], [DFI])]);
    assert.equal(own.tell(tx), 'missing-inputs');
  });
});

describe('amounts', () => {
  test('outputs may not be worth more than inputs', () => {
    const all = node.subsidy(1);
    const expected = 'bad-txns-in-belowout, value in (50.00) < value out (50.00000001) (code 16)';
    assert.equal(all, 50n * DFI);
    assert.equal(node.tell(node.pay([node.coin(0)], [all + 1n])), expected);
  });

  test('token outputs need transaction version 4 and inputs of the token', () => {
    const vout = [{ value: DFI, scriptPubKey: ANYONE, tokenId: 5 }];
    const expected = 'bad-txns-minttokens-in-belowout, token (5) value in (0.00) < value out (1.00) (code 16)';
    assert.equal(node.tell(simple({ version: 4, vout })), expected);
  });

  test('absurdFee limits the fee', () => {
    const tx = node.pay([node.coin(0)], [node.subsidy(1) - 5_000n]);
    assert.equal(node.tell(tx, { absurdFee: 5_000n }), 'allowed');
    assert.equal(node.tell(tx, { absurdFee: 4_999n }), 'absurdly-high-fee, 5000 > 4999 (code 256)');
    assert.equal(node.tell(tx, { absurdFee: 0n }), 'allowed');
  });

  test('the relay fee is one satoshi per virtual byte', () => {
    const sized = (fee: bigint) => node.pay([node.coin(0)], [node.subsidy(1) - fee]);
    const size = sized(0n).raw.length;
    assert.equal(node.tell(sized(BigInt(size))), 'allowed');
    assert.equal(node.tell(sized(BigInt(size) - 1n)), `min relay fee not met, ${size - 1} < ${size} (code 66)`);
    assert.equal(node.tell(sized(0n), { bypassLimits: true }), 'allowed');
  });

  test('the fee delta of prioritisation counts', () => {
    const free = node.pay([node.coin(0)], [node.subsidy(1)]);
    node.mempool.prioritise(free.txid, 1_000n);
    assert.equal(node.tell(free), 'allowed');
    node.mempool.prioritise(free.txid, -1_000n);
    assert.match(node.tell(free), /^min relay fee not met, 0 < /);
  });

  test('signature operations count as 20 bytes each, and too many are rejected', () => {
    // 20 keys count as 20 operations of weight 80 outside a witness, and 3200 of them as 256000.
    const own = new PoolNode({ coins: 1, policy: { requireStandard: false } });
    const vout = (count: number) => [{ value: DFI, scriptPubKey: new Uint8Array(count).fill(0xac), tokenId: 0 }];
    const of = (count: number) => own.pay([own.coin(0)], [], { vout: vout(count) });
    const entry = own.mempool.test(of(64_000));
    assert.equal(entry.status, 'allowed');
    assert.equal(own.tell(of(64_001)), 'bad-txns-too-many-sigops, 256004 (code 64)');
    assert.equal(own.add(of(1_000)).vsize, 20_000);
  });
});

describe('scripts', () => {
  const spending = (script: Uint8Array, scriptSig: Uint8Array, own: PoolNode): string => {
    const parent = own.pay([own.coin(0)], [], {
      vout: [{ value: DFI, scriptPubKey: scriptOf({ type: 'sh', hash: hash160(script) }), tokenId: 0 }],
    });
    own.mine([parent]);
    const vin = [{ prevout: output(parent), scriptSig, sequence: 0xffffffff, witness: [] }];
    return own.tell(own.pay([], [DFI / 2n], { vin }));
  };

  test('a script that fails consensus rules', () => {
    const expected =
      'mandatory-script-verify-flag-failed (Script evaluated without error but finished with a false/empty top stack element) (code 16)';
    assert.equal(spending(Uint8Array.of(0x00), buildScript(Uint8Array.of(0x00)), new PoolNode({ coins: 1 })), expected);
  });

  test('a script that fails only relay policy', () => {
    const script = Uint8Array.of(0x51, 0xb0);
    const expected = 'non-mandatory-script-verify-flag (NOPx reserved for soft-fork upgrades) (code 64)';
    assert.equal(spending(script, buildScript(script), new PoolNode({ coins: 1 })), expected);
  });

  test('too many signature operations in a redeem script', () => {
    const script = new Uint8Array(16).fill(0xac);
    assert.equal(spending(script, buildScript(script), new PoolNode({ coins: 1 })), nonstandard);
  });

  describe('of a scriptSig that is run for the redeem script', () => {
    const redeem = Uint8Array.of(0x51);
    const stackSize = 'mandatory-script-verify-flag-failed (Stack size limit exceeded) (code 16)';
    const cases = [
      { name: 'a push of 520 bytes', scriptSig: buildScript(new Uint8Array(520).fill(9), redeem), expected: cleanStack },
      { name: 'a push of 521 bytes', scriptSig: buildScript(new Uint8Array(521).fill(9), redeem), expected: nonstandard },
      { name: 'OP_RESERVED', scriptSig: concatBytes(Uint8Array.of(0x50), buildScript(redeem)), expected: nonstandard },
      { name: '1000 elements', scriptSig: concatBytes(new Uint8Array(999).fill(0x51), buildScript(redeem)), expected: stackSize },
      { name: '1001 elements', scriptSig: concatBytes(new Uint8Array(1000).fill(0x51), buildScript(redeem)), expected: nonstandard },
    ];
    for (const { name, scriptSig, expected } of cases) {
      test(name, () => assert.equal(spending(redeem, scriptSig, new PoolNode({ coins: 1 })), expected));
    }
  });

  describe('standard limits of P2WSH witnesses', () => {
    const drops = (count: number, pad = 0) =>
      Buffer.concat([new Uint8Array(count).fill(0x75), new Uint8Array(pad).fill(0x61), Uint8Array.of(0x51)]);
    const tell = (script: Uint8Array, items: readonly Uint8Array[]): string => {
      const own = new PoolNode({ coins: 1 });
      const scriptPubKey = scriptOf({ type: 'wsh', hash: sha256(script) });
      const parent = own.pay([own.coin(0)], [], { vout: [{ value: DFI, scriptPubKey, tokenId: 0 }] });
      own.mine([parent]);
      const vin = [{ prevout: output(parent), scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [...items, script] }];
      return own.tell(own.pay([], [DFI / 2n], { vin }));
    };
    const items = (count: number, size: number) => new Array<Uint8Array>(count).fill(new Uint8Array(size).fill(7));
    const refused = 'bad-witness-nonstandard (code 64)';
    const opCount = 'non-mandatory-script-verify-flag (Operation limit exceeded) (code 64)';

    test('a hundred items', () => {
      assert.equal(tell(drops(100), items(100, 80)), 'allowed');
      assert.equal(tell(drops(101), items(101, 80)), refused);
    });
    test('of 80 bytes', () => {
      assert.equal(tell(drops(1), items(1, 80)), 'allowed');
      assert.equal(tell(drops(1), items(1, 81)), refused);
    });
    test('for a script of 3600 bytes', () => {
      assert.equal(tell(drops(0, 3_599), []), opCount);
      assert.equal(tell(drops(0, 3_600), []), refused);
    });
  });

  test('verified scripts are cached for the block', () => {
    const own = new PoolNode({ coins: 1 });
    const secret = new Uint8Array(32).fill(5);
    const key = publicKeyOf(secret);
    const scriptPubKey = scriptOf({ type: 'wpkh', hash: hash160(key) });
    const parent = own.pay([own.coin(0)], [], { vout: [{ value: DFI, scriptPubKey, tokenId: 0 }] });
    own.mine([parent]);
    const tx = signed(own, parent, secret);
    const before = own.memory.signatures.size;
    own.add(tx);
    assert.equal(own.memory.signatures.size, before + 1);
    assert.equal(own.memory.scripts.has(tx, blockScriptFlags(own.chain.tip.height + 1, own.chain.params)), true);
  });

  test('outputs of the burn script cannot be spent', () => {
    const own = new PoolNode({ coins: 1, policy: { requireStandard: false } });
    const parent = own.pay([own.coin(0)], [], { vout: [{ value: DFI, scriptPubKey: own.chain.params.scripts.burn, tokenId: 0 }] });
    own.mine([parent]);
    const tx = own.pay([output(parent)], [DFI / 2n]);
    assert.equal(own.tell(tx), 'burnt-output (code 16)');
    const verdict = own.mempool.test(tx);
    assert.equal(verdict.status === 'rejected' && verdict.misbehaviour, 100);
  });
});

test('a transaction enters once', () => {
  const own = new PoolNode({ coins: 1 });
  const tx = own.pay([own.coin(0)], [DFI]);
  own.add(tx);
  assert.equal(own.tell(tx), 'txn-already-in-mempool (code 18)');
  assert.equal(own.mempool.accept(tx).status, 'rejected');
  assert.equal(own.pool.size, 1);
});

test('misbehaviour scores by reason', () => {
  const charge = (tx: Transaction) => {
    const verdict = node.mempool.test(tx);
    return verdict.status === 'rejected' ? verdict.misbehaviour : undefined;
  };
  assert.equal(charge(paying({ value: -1n })), 100);
  assert.equal(charge(simple({ version: 5 })), 0);
  assert.equal(charge(node.pay([node.coin(10)], [DFI])), 0);
  assert.equal(charge(coinbaseOf(node.chain.block(node.chain.tip) as never)), 100);
});
