import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { isActive, type NetworkName } from '../../../src/params/network.js';
import { smartContractScript } from '../../../src/params/smart-contracts.js';
import { NEVER, UPGRADES } from '../../../src/params/upgrades.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { addressesOf } from '../../../src/script/address.js';
import { toHex } from '../../../src/util/bytes.js';

const NAMES: readonly NetworkName[] = ['main', 'test', 'devnet', 'changi', 'regtest'];

const identities = [
  {
    name: 'main',
    dir: '',
    magic: 'e2aac1e1',
    disk: 'f9beb4d9',
    p2p: 8555,
    rpc: 8554,
    pkh: 0x12,
    sh: 0x5a,
    wif: 0x80,
    hrp: 'df',
    standard: true,
  },
  {
    name: 'test',
    dir: 'testnet3',
    magic: '0b110907',
    disk: '0b110907',
    p2p: 18555,
    rpc: 18554,
    pkh: 0x0f,
    sh: 0x80,
    wif: 0xef,
    hrp: 'tf',
    standard: false,
  },
  {
    name: 'changi',
    dir: 'changi',
    magic: '0d111109',
    disk: '0d111109',
    p2p: 20555,
    rpc: 20554,
    pkh: 0x0f,
    sh: 0x80,
    wif: 0xef,
    hrp: 'tf',
    standard: false,
  },
  {
    name: 'devnet',
    dir: 'devnet',
    magic: '0c101008',
    disk: '0c101008',
    p2p: 21555,
    rpc: 21554,
    pkh: 0x0f,
    sh: 0x80,
    wif: 0xef,
    hrp: 'tf',
    standard: false,
  },
  {
    name: 'regtest',
    dir: 'regtest',
    magic: 'fabfb5da',
    disk: 'fabfb5da',
    p2p: 19555,
    rpc: 19554,
    pkh: 0x6f,
    sh: 0xc4,
    wif: 0xef,
    hrp: 'bcrt',
    standard: true,
  },
] as const;

for (const expected of identities) {
  test(`identity of ${expected.name}`, () => {
    const params = networkParams({ network: expected.name });
    assert.equal(params.name, expected.name);
    assert.equal(params.directory, expected.dir);
    assert.equal(toHex(params.p2pMagic), expected.magic);
    assert.equal(toHex(params.diskMagic), expected.disk);
    assert.deepEqual([params.p2pPort, params.rpcPort], [expected.p2p, expected.rpc]);
    const { pubKeyHash, scriptHash, secretKey, bech32Prefix } = params.address;
    assert.deepEqual([pubKeyHash, scriptHash, secretKey, bech32Prefix], [expected.pkh, expected.sh, expected.wif, expected.hrp]);
    assert.equal(params.requireStandard, expected.standard);
    assert.equal(params.isRegtest, expected.name === 'regtest');
    assert.equal(params.isTestnet, ['test', 'devnet', 'changi'].includes(expected.name));
  });
}

test('upgrade heights differ where the networks parted', () => {
  const heights = (upgrade: (typeof UPGRADES)[number]) => NAMES.map((network) => networkParams({ network }).upgrades[upgrade]);
  assert.deepEqual(heights('amk'), [356_500, 150, 150, 150, 10_000_000]);
  assert.deepEqual(heights('eunos'), [894_000, 354_950, 354_950, 354_950, 10_000_000]);
  assert.deepEqual(heights('eunosKampung'), [895_743, 354_950, 354_950, 354_950, 10_000_000]);
  assert.deepEqual(heights('fortCanningSpring'), [2_033_000, 1_086_000, 1_086_000, 1_086_000, 10_000_000]);
  assert.deepEqual(heights('fortCanningGreatWorld'), [2_212_000, 1_150_000, 1_223_000, 1_223_000, 10_000_000]);
  assert.deepEqual(heights('grandCentralEpilogue'), [2_574_000, 1_150_030, 1_438_200, 1_438_200, 10_000_000]);
  assert.deepEqual(heights('metachain'), [3_462_000, 1_150_040, 1_586_750, 1_586_750, 10_000_000]);
  assert.deepEqual(heights('df23'), [4_006_000, 1_507_200, NEVER, 1_985_600, 10_000_000]);
  assert.deepEqual(heights('df24'), [4_463_000, 1_810_800, NEVER, 2_241_000, 10_000_000]);
});

test('on live networks upgrades come in their order', () => {
  for (const network of NAMES) {
    const { upgrades } = networkParams({ network });
    const heights = UPGRADES.map((upgrade) => upgrades[upgrade]);
    assert.deepEqual(
      heights,
      [...heights].sort((a, b) => a - b),
      network,
    );
    assert.equal(Object.keys(upgrades).length, UPGRADES.length);
  }
});

test('an upgrade is active from its height on', () => {
  const main = networkParams({ network: 'main' });
  assert.equal(isActive(main, 'eunos', 893_999), false);
  assert.equal(isActive(main, 'eunos', 894_000), true);
});

test('special scripts show the addresses they come from', () => {
  const shown = (network: NetworkName) => {
    const { scripts, address } = networkParams({ network });
    return [
      scripts.foundationShare,
      scripts.burn,
      scripts.retiredBurn,
      scripts.unusedEmission,
      ...scripts.accountDestruction,
      ...scripts.foundationMembers,
    ]
      .flatMap((script) => addressesOf(script, address))
      .join(' ');
  };
  assert.equal(
    shown('main'),
    'dZcHjYhKtEM88TtZLjp314H2xZjkztXtRc 8defichainBurnAddressXXXXXXXdRQkSm 8defichainDSTBurnAddressXXXXaCAuTq df1qlwvtdrh4a4zln3k56rqnx8chu8t0sqx36syaea ' +
      'dJEbxbfufyPF14SC93yxiquECEfq4YSd9L 8UAhRuUFCyFUHEPD7qvtj8Zy2HxF5HH5nb dJEbxbfufyPF14SC93yxiquECEfq4YSd9L 8bL7jZe2Nk5EhqFA6yuf8HPre3M6eewkqj 8UhqhhiwtUuEqCD7HsekUsgYRuz115eLiQ',
  );
  assert.equal(shown('devnet'), shown('test'));
  assert.match(shown('regtest'), /^2NCWAKfEehP3qibkLKYQjXaWMK23k4EDMVS mfburnZSAM7Gs1hpDeNaMotJXSGA7edosG /);
});

test('smart contract accounts are numbered witness programs', () => {
  assert.equal(toHex(smartContractScript('DFIP2201')), `0014${'00'.repeat(20)}`);
  assert.equal(toHex(smartContractScript('DFIP2206F')), `0014${'00'.repeat(19)}02`);
});

test('checkpoints: counts, and the last one of main', () => {
  const counts = NAMES.map((network) => networkParams({ network }).checkpoints.length);
  assert.deepEqual(counts, [51, 5, 5, 5, 1]);
  for (const network of ['main', 'regtest'] as const) {
    const { checkpoints, genesis } = networkParams({ network });
    const [first] = checkpoints;
    assert.equal(first?.height, 0);
    assert.equal(first && formatHash(first.hash), formatHash(genesis.hash));
  }
  const last = networkParams({ network: 'main' }).checkpoints.at(-1);
  assert.equal(last?.height, 4_100_000);
  assert.equal(last && formatHash(last.hash), '5a173418adc9a1aa5bab4370871b2526771ec81ea445e963971bfafe88cba4b5');
});

test('proof of stake and days', () => {
  const main = networkParams({ network: 'main' });
  const regtest = networkParams({ network: 'regtest' });
  assert.deepEqual(
    [main.pos.targetTimespan, main.pos.targetTimespanV2, main.pos.targetSpacing, main.blocksPerDay],
    [300, 30_240, 30, 2880],
  );
  assert.deepEqual(
    [regtest.pos.targetTimespan, regtest.pos.targetTimespanV2, regtest.pos.targetSpacing, regtest.blocksPerDay],
    [1_209_600, 1_209_600, 600, 144],
  );
  assert.equal(main.pos.diffLimit.toString(16), 'f'.repeat(59));
});
