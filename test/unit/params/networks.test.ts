import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { networkBase } from '../../../src/config/networks.js';
import { networkParams } from '../../../src/params/index.js';
import { isActive, type NetworkName } from '../../../src/params/network.js';
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
    assert.equal(toHex(params.p2pMagic), expected.magic);
    assert.equal(toHex(params.defidFileMagic), expected.name === 'main' ? 'f9beb4d9' : expected.magic);
    assert.equal(params.p2pPort, expected.p2p);
    const { directory, ports } = networkBase(expected.name);
    assert.deepEqual([directory, ports.p2p, ports.rpc], [expected.dir, expected.p2p, expected.rpc]);
    const { pubKeyHash, scriptHash, secretKey, bech32Prefix } = params.address;
    assert.deepEqual([pubKeyHash, scriptHash, secretKey, bech32Prefix], [expected.pkh, expected.sh, expected.wif, expected.hrp]);
    assert.equal(params.requireStandard, expected.standard);
    assert.equal(params.isRegtest, expected.name === 'regtest');
    assert.equal(params.isTestnet, ['test', 'devnet', 'changi'].includes(expected.name));
  });
}

test('upgrade heights that differ between networks', () => {
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

test('on live networks upgrades are in chronological order', () => {
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

test('special scripts are those of their addresses', () => {
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

describe('amounts and periods of live networks', () => {
  const DFI = 100_000_000n;
  const live = (['main', 'test', 'devnet', 'changi'] as const).map((network) => networkParams({ network }));
  test('masternodes and tokens', () => {
    for (const { name, masternode, token } of live) {
      const { genesis: _, ...rules } = masternode;
      assert.deepEqual(
        rules,
        {
          activationDelay: 10,
          newActivationDelay: 1008,
          resignDelay: 60,
          newResignDelay: 2016,
          creationFee: 10n * DFI,
          collateral: 1_000_000n * DFI,
          collateralDakota: 20_000n * DFI,
        },
        name,
      );
      assert.deepEqual(token, { creationFee: 100n * DFI, collateral: DFI, mintAsOnMain: true }, name);
    }
  });
  test('vaults and proposals: main and the test networks differ', () => {
    for (const { name, vault, governance } of live) {
      const isMain = name === 'main';
      assert.deepEqual(vault, { creationFee: (isMain ? 2n : 1n) * DFI, skipCollateralCheck: false }, name);
      assert.deepEqual(
        governance,
        {
          cfpFeeShare: 1_000_000n,
          cfpMinimumFee: 10n * DFI,
          cfpApproval: 50_000_000n,
          vocFee: (isMain ? 100n : 50n) * DFI,
          vocEmergencyFee: 10_000n * DFI,
          vocApproval: 66_670_000n,
          quorum: 1_000_000n,
          feeBurnShare: 50_000_000n,
          votingPeriod: isMain ? 130_000 : 70_000,
          emergencyPeriod: 8640,
        },
        name,
      );
    }
  });
  test('anchors', () => {
    for (const { name, anchor } of live) {
      assert.deepEqual(
        anchor,
        {
          teamSize: 5,
          frequency: 15,
          timeDepth: 10_800,
          additionalTimeDepth: 3600,
          teamChange: 120,
          address: name === 'main' ? '1FtZwEZKknoquUb6DyQHFZ6g6oomXJYEcb' : 'mpAkq2LyaUvKrJm2agbswrkn3QG9febnqL',
          minConfirmations: name === 'main' ? 6 : 1,
          quorum: undefined,
          subsidy: 0n,
          subsidyIncreaseValue: 5n * DFI,
          subsidyIncreasePeriod: 60,
        },
        name,
      );
    }
  });
  test('proof of stake, old soft forks, minting', () => {
    for (const { name, pos, buried, bip9, mintWithoutPeers, pruneAfterHeight } of live) {
      const isMain = name === 'main';
      const { diffLimit: _, ...rules } = pos;
      const expected = { targetTimespan: 300, targetTimespanV2: 30_240, targetSpacing: 30, stakeMinAge: 0, stakeMaxAge: 1_209_600 };
      assert.deepEqual(rules, { ...expected, noRetargeting: false, dummy: false }, name);
      assert.deepEqual(buried, { bip34: 0, bip65: 0, bip66: 0, csv: 1, segwit: 0 }, name);
      assert.deepEqual(
        [bip9.window, bip9.threshold, mintWithoutPeers, pruneAfterHeight],
        isMain ? [10, 9, false, 100_000] : [10, 8, true, 1000],
      );
    }
  });
  test('assumed-valid data and chain ids', () => {
    const [main, ...others] = live;
    assert.equal(main?.minimumChainWork.toString(16), '3f2949bfe4efc275390c');
    assert.equal(main?.assumeValid && formatHash(main.assumeValid), '9b257cb88630e422902ef2b17a3627ae2f786a5923df9c3bda4226f9551b1ea8');
    for (const { name, minimumChainWork, assumeValid } of others) assert.deepEqual([minimumChainWork, assumeValid], [0n, undefined], name);
    assert.deepEqual(
      live.map(({ evmChainId }) => evmChainId),
      [1130, 1131, 1132, 1133],
    );
  });
});
