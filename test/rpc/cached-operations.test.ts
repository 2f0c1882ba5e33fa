import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Role, Source } from '../../src/rpc/options.js';
import { committedCatalogue } from './catalogue.js';

const { operations } = committedCatalogue();

/**
 * Operations that only read but are not cached: their answers depend on peers, memory, an option that may change, randomness
 * or the caller; they wait; or their arguments may be private keys, which must not stay in memory.
 */
const UNCACHED_READS = `addressmap echo echojson getaccess getaddednodeinfo getblocktemplate
  getevents getmemoryinfo getnettotals getnodeaddresses getnodestatusinfo getpeerinfo getrpcinfo getrpcstats getversioninfo
  getzmqnotifications help joinpsbts listbanned listrpcstats listwalletdir ping signmessagewithprivkey
  signrawtransactionwithkey spv_createanchortemplate spv_estimateanchorcost spv_getaddresspubkey spv_getalladdresses spv_getbalance
  spv_gethtlcseed spv_getrawtransaction spv_gettxconfirmations spv_listanchorauths spv_listanchorrewardconfirms spv_listanchors
  spv_listanchorspending spv_listanchorsunrewarded spv_listhtlcoutputs spv_listreceivedbyaddress spv_listtransactions spv_syncstatus
  spv_validateaddress subscribeevents subscribeevmlogs subscriberescan syncwithvalidationinterfacequeue
  uptime utxoupdatepsbt verifychain waitforblock waitforblockheight waitfornewblock`.split(/\s+/);

test('every operation that reads declares what its answer depends on, or is listed as not cached', () => {
  const undeclared = operations.filter(({ role, reads }) => role === Role.READ && reads.length === 0).map(({ name }) => name);
  assert.deepEqual(undeclared.sort(), UNCACHED_READS);
});

/** Operations of which some calls have an effect; their handlers mark those calls, so that their answers are not kept. */
const SOMETIMES_EFFECTIVE = ['logaccountbalances', 'scantxoutset'];

test('only operations that read and have no side effects are cached', () => {
  for (const { name, reads, role, streams, descriptor } of operations) {
    if (reads.length === 0 || SOMETIMES_EFFECTIVE.includes(name)) continue;
    assert.equal(role, Role.READ, name);
    assert.equal(streams, false, name);
    assert.equal(descriptor.isFreeOfEffects, true, name);
  }
});

test('an operation that runs on a wallet depends on the wallets', () => {
  for (const { name, reads, wallet } of operations) {
    if (reads.length > 0 && wallet) assert.ok(reads.includes(Source.WALLETS), name);
  }
});

test('declared sources are known, named once, and alone where they cover others', () => {
  const known = new Set<number>(Object.values(Source));
  for (const { name, reads } of operations) {
    assert.ok(
      reads.every((source) => known.has(source)),
      name,
    );
    assert.equal(new Set(reads).size, reads.length, name);
    assert.ok(!reads.includes(Source.NONE) || reads.length === 1, `${name} reads nothing and something`);
    assert.ok(!reads.includes(Source.BLOCKS) || !reads.includes(Source.TIP), `${name}: the blocks include the tip`);
  }
});
