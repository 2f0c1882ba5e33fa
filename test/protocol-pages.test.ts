import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NETWORKS } from '../src/config/networks.js';
import { OPTIONS } from '../src/config/options.js';
import { blockSubsidy } from '../src/consensus/subsidy.js';
import { customTxOf } from '../src/dfi/execution/registry.js';
import { networkParams } from '../src/params/index.js';
import type { NetworkName } from '../src/params/network.js';
import { UPGRADES } from '../src/params/upgrades.js';
import { COIN } from '../src/primitives/amount.js';
import { statusOf } from '../src/rpc/errors.js';
import { toHex } from '../src/util/bytes.js';
import { projectRoot } from './shared.js';
import { tableRows } from './tools/tables.js';

// Tables that exist both in the protocol pages and in the code; both must agree.

const page = (name: string) => readFileSync(join(projectRoot, 'docs', 'protocol', `${name}.md`), 'utf8');
const chain = page('chain');

test('chain 1.1: identity of the networks', () => {
  const columns: readonly NetworkName[] = ['main', 'test', 'changi', 'devnet', 'regtest'];
  const rows = new Map(tableRows(chain, '1.1').map(([name = '', ...cells]) => [name, cells]));
  const cellsOf = (start: string) => {
    const found = [...rows].find(([name]) => name.startsWith(start));
    assert.ok(found, `no row ${start}`);
    return found[1];
  };
  columns.forEach((network, at) => {
    const params = networkParams({ network });
    const cell = (start: string) => cellsOf(start)[at]?.replace(/ \(.*\)$/, '');
    const hexByte = (value: number) => `0x${value.toString(16).padStart(2, '0')}`;
    const { address } = params;
    const expected = {
      'P2P magic': toHex(params.p2pMagic).replaceAll(/..(?!$)/g, '$& '),
      'P2P port': String(params.p2pPort),
      'P2PKH version byte': hexByte(address.pubKeyHash),
      'P2SH version byte': hexByte(address.scriptHash),
      'WIF version byte': hexByte(address.secretKey),
      'ext public key': toHex(address.extPublicKey),
      'ext private key': toHex(address.extSecretKey),
      'bech32 HRP': address.bech32Prefix,
      'EVM chain id': String(params.evmChainId),
      'require standard txs': params.requireStandard ? 'yes' : 'no',
      'minting without peers': params.mintWithoutPeers ? 'yes' : 'no',
      'prune after height': String(params.pruneAfterHeight),
    };
    for (const [row, value] of Object.entries(expected)) assert.equal(cell(row), value, `${network}: ${row}`);
  });
});

test('chain 1.3: heights of the upgrades', () => {
  const rows = tableRows(chain, '1.3').filter(([, number = '']) => /^DF\d+$/.test(number));
  assert.equal(rows.length, UPGRADES.length);
  UPGRADES.forEach((upgrade, at) => {
    const [, number, main, testnet] = rows[at] ?? [];
    assert.equal(number, `DF${at + 1}`);
    assert.equal(main, String(networkParams({ network: 'main' }).upgrades[upgrade]), `main: ${upgrade}`);
    assert.equal(testnet, String(networkParams({ network: 'test' }).upgrades[upgrade]), `test: ${upgrade}`);
  });
});

test('chain 1.4: first rewards of the emission schedule', () => {
  const [, list = ''] = /^First values: ([\d, ]+)\./m.exec(chain) ?? [];
  const values = list.split(', ').map(BigInt);
  assert.equal(values.length, 6);
  const main = networkParams({ network: 'main' });
  const heightOf = (period: number) => main.upgrades.eunos + period * main.subsidy.reductionPeriod;
  assert.deepEqual(
    values.map((_, period) => blockSubsidy(heightOf(period), main)),
    values,
  );
});

test('chain 1.6: delays, fees and collaterals', () => {
  const rows = tableRows(chain, '1.6');
  (['main', 'test', 'regtest'] as const).forEach((network, at) => {
    const { masternode, anchor, token, vault } = networkParams({ network });
    const cell = (name: string) => {
      const [, ...cells] = rows.find(([first = '']) => first.startsWith(name)) ?? [];
      const text = cells[at] === 'same' ? cells[0] : cells[at];
      return text?.replace(' DFI', '');
    };
    const dfi = (...amounts: readonly bigint[]) => amounts.map((amount) => amount / COIN).join(' / ');
    const expected = {
      'activation delay': `${masternode.activationDelay} / ${masternode.newActivationDelay}`,
      'resign delay': `${masternode.resignDelay} / ${masternode.newResignDelay}`,
      'MN creation fee': dfi(masternode.creationFee),
      'MN collateral': dfi(masternode.collateral, masternode.collateralDakota),
      'anchoring team size': `${anchor.teamSize} / ${anchor.frequency}`,
      'anchoring time depth': `${anchor.timeDepth} / ${anchor.additionalTimeDepth}`,
      'anchoring team change': String(anchor.teamChange),
      'token creation fee': dfi(token.creationFee, token.collateral),
      'vault creation fee': dfi(vault.creationFee),
      'SPV anchors address': anchor.address,
      'SPV min confirmations': String(anchor.minConfirmations),
    };
    for (const [row, value] of Object.entries(expected)) assert.equal(cell(row), value, `${network}: ${row}`);
  });
});

test('accounts 1.3: types of custom transactions', () => {
  const cells = tableRows(page('accounts'), '1.3');
  const types = cells.flatMap((row) => [row.slice(0, 4), row.slice(5, 9)]).filter(([, letter = '']) => letter.length === 1);
  assert.equal(types.length, 64);
  for (const [byte = '', letter = '', name = '', from = ''] of types) {
    assert.equal(Number.parseInt(byte, 16), letter.charCodeAt(0), letter);
    const found = customTxOf(letter);
    assert.ok(found, letter);
    assert.equal(found.name, name.replace(/ \(.*\)$/, ''), letter);
    const since = from === '0' || from === 'none' ? 'genesis' : UPGRADES[Number.parseInt(from, 10) - 1];
    assert.equal(found.since, since, letter);
    const until = /disabled from (\d+)/.exec(from)?.[1];
    assert.equal(found.until, until === undefined ? undefined : UPGRADES[Number(until) - 1], letter);
  }
});

test('rpc-chain 1.17: every code of an answer is one that clients know', () => {
  const cells = tableRows(page('rpc-chain'), '1.17').flat();
  const known = new Set(cells.filter((cell) => /^[−-]?\d+$/.test(cell)).map((cell) => Number(cell.replace('−', '-'))));
  assert.equal(known.size, 37);
  const used = new Set(Object.values(statusOf).map(({ jsonRpc }) => jsonRpc));
  assert.deepEqual(
    [...used].filter((code) => !known.has(code)),
    [],
  );
});

test('rpc-chain 2.3: ports and directories', () => {
  const rows = tableRows(page('rpc-chain'), '2.3');
  for (const { name, directory, ports } of NETWORKS) {
    const row = rows.find(([network = '']) => network.split(' ')[0] === name);
    assert.deepEqual(row?.slice(2, 7), [directory || '(none)', ports.p2p, ports.rpc, ports.eth, ports.ws].map(String), name);
  }
});

test('rpc-chain 2.5: options and their defaults', () => {
  const options = new Map(OPTIONS.map((option) => [option.key, option.default]));
  let compared = 0;
  for (const [names = '', defaults = ''] of tableRows(page('rpc-chain'), '2.5')) {
    const keys = [...names.matchAll(/(?<![\w<-])-([a-z][\w-]*)/g)].map((match) => match[1] as string);
    const missing = keys.filter((key) => !options.has(key));
    assert.deepEqual(missing, [], names);
    const values = defaults.split(' / ').map((value) => /^\d+(\.\d+)?(?= |$)/.exec(value)?.[0]);
    if (values.length !== keys.length || defaults.includes('test/')) continue;
    keys.forEach((key, at) => {
      const [expected, found] = [values[at], options.get(key)];
      if (expected === undefined || found === undefined) return;
      assert.equal(Number(found), Number(expected), `-${key}`);
      compared += 1;
    });
  }
  assert.ok(compared > 15, `only ${compared} defaults were compared`);
});
