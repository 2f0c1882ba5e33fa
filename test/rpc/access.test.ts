import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccessOptions, AccessRules, type RoleName, requireAccess, roleNameOf } from '../../src/rpc/access.js';
import { CertificateRoles } from '../../src/rpc/certificate-roles.js';
import { Role } from '../../src/rpc/options.js';
import { getAccess } from '../../src/services/node/control/control.js';
import { NO_RESTRICTIONS } from '../access-options.js';
import { committedCatalogue } from './catalogue.js';
import { jsonRpcCall } from './json-rpc-call.js';

const catalogue = committedCatalogue();

const pinned: Readonly<Record<RoleName, string>> = {
  read: `
    accounthistorycount addressmap analyzepsbt callevm combinepsbt combinerawtransaction converttopsbt createmultisig createpsbt
    createrawtransaction decodecustomtx decodepsbt decoderawtransaction decodescript deriveaddresses echo echojson
    estimatecollateral estimateevmgas estimateloan estimatesmartfee estimatevault finalizepsbt getaccess getaccount
    getaccounthistory getactivemasternodecount getaddednodeinfo getaddressesbylabel getaddressinfo getanchorteams getbalance
    getbalances getbestblockhash getblock getblockchaininfo getblockcount getblockfilter getblockhash getblockheader getblockstats
    getblocktemplate getburninfo getchaintips getchaintxstats getcollateraltoken getconnectioncount getcustomtx getdescriptorinfo
    getdifficulty getdusdswapblock getevents getevmblock getevmreceipt getevmtransaction getfixedintervalprice getfutureswapblock
    getgov getgovproposal getinterest getloaninfo getloanscheme getloantoken getloantokens getlockedtokens getmasternode
    getmasternodeblocks getmemoryinfo getmempoolancestors getmempooldescendants getmempoolentry getmempoolinfo getmininginfo
    getmintinginfo getnettotals getnetworkhashps getnetworkinfo getnodeaddresses getnodestatusinfo getoracledata getpeerinfo
    getpendingdusdswaps getpendingfutureswaps getpoolpair getprice getrawmempool getrawtransaction getreceivedbyaddress
    getreceivedbylabel getrpcinfo getrpcstats getstoredinterest gettoken gettokenbalances gettransaction gettxout gettxoutproof
    gettxoutsetinfo getunconfirmedbalance getvault getversioninfo getwalletinfo getzmqnotifications help icx_getorder icx_listhtlcs
    icx_listorders isappliedcustomtx joinpsbts listaccounthistory listaccounts listaddressgroupings listanchors listauctionhistory
    listauctions listbanned listburnhistory listcollateraltokens listcommunitybalances listevmlogs listfixedintervalprices
    listgovproposals listgovproposalvotes listgovs listlabels listlatestrawprices listloanschemes listloantokenliquidity
    listloantokens listlockedtokens listlockunspent listmasternodes listoracles listpendingdusdswaps listpendingfutureswaps
    listpoolpairs listpoolshares listprices listreceivedbyaddress listreceivedbylabel listrpcstats listsinceblock listsmartcontracts
    listtokens listtransactions listunspent listvaulthistory listvaults listwalletdir listwallets logstoredinterests logvmmaps ping
    scantxoutset signmessagewithprivkey signrawtransactionwithkey spv_createanchortemplate spv_decodehtlcscript
    spv_estimateanchorcost spv_getaddresspubkey spv_getalladdresses spv_getbalance spv_getfeerate spv_gethtlcseed spv_getpeers
    spv_getrawtransaction spv_gettxconfirmations spv_listanchorauths spv_listanchorrewardconfirms spv_listanchorrewards
    spv_listanchors spv_listanchorspending spv_listanchorsunrewarded spv_listhtlcoutputs spv_listreceivedbyaddress
    spv_listtransactions spv_syncstatus spv_validateaddress subscribeevents
    subscribeevmlogs subscriberescan syncwithvalidationinterfacequeue testmempoolaccept testpoolswap traceevmtransaction uptime
    utxoupdatepsbt validateaddress verifychain verifymessage verifytxoutproof vmmap waitforblock waitforblockheight waitfornewblock
  `,
  spend: `
    abandontransaction abortrescan accounttoaccount accounttoutxos addmultisigaddress addpoolliquidity appointoracle bumpfee
    burntokens cleargovheights closevault compositeswap creategovcfp creategovvoc createloanscheme createmasternode createpoolpair
    createtoken createvault deposittovault destroyloanscheme evmtx executesmartcontract fundrawtransaction futureswap getnewaddress
    getrawchangeaddress icx_claimdfchtlc icx_closeoffer icx_closeorder icx_createorder icx_makeoffer icx_submitdfchtlc
    icx_submitexthtlc importaddress importprunedfunds importpubkey keypoolrefill lockunspent minttokens paybackloan
    paybackwithcollateral placeauctionbid poolswap releaselockedtokens removeoracle removepoolliquidity removeprunedfunds
    rescanblockchain resignmasternode sendmany sendrawtransaction sendtoaddress sendtokenstoaddress sendutxosfrom setcollateraltoken
    setdefaultloanscheme setgov setgovheight setlabel setloantoken setoracledata settxfee signmessage signrawtransactionwithwallet
    spv_claimhtlc spv_createanchor spv_createhtlc spv_getnewaddress spv_refundhtlc spv_refundhtlcall spv_rescan spv_sendrawtx
    spv_sendtoaddress
    submitblock submitheader takeloan transferdomain unsetgov unsetgovheight updateloanscheme updateloantoken updatemasternode
    updateoracle updatepoolpair updatetoken updatevault utxostoaccount votegov votegovbatch walletcreatefundedpsbt walletlock
    walletpassphrase walletprocesspsbt withdrawfromvault withdrawfutureswap
  `,
  admin: `
    addnode backupwallet clearbanned clearmempool createwallet dev_advanceTime dev_dumpState dev_impersonate dev_loadState dev_mine dev_revert
    dev_setAutomine dev_setBalance dev_setIntervalMining dev_setNextBlockTime dev_setPrice dev_setTime dev_snapshot disconnectnode
    dumpevmdb dumpprivkey dumpwallet encryptwallet exportsnapshot generatetoaddress importmulti importprivkey importwallet
    invalidateblock loadwallet logaccountbalances logevmaccountstates logging preciousblock prioritisetransaction pruneblockchain
    reconsiderblock savemempool setban sethdseed setinterruptblock setmockcheckpoint setmocktime setnetworkactive setwalletflag
    spv_dumpprivkey spv_fundaddress spv_setlastheight stop unloadwallet walletpassphrasechange
  `,
};

test('roles: every operation has its intended role', () => {
  const declared: Record<string, string[]> = { read: [], spend: [], admin: [] };
  for (const { name, role } of catalogue.operations) declared[roleNameOf(role)]?.push(name);
  for (const [role, names] of Object.entries(pinned)) assert.deepEqual(declared[role]?.sort(), names.trim().split(/\s+/), role);
});

/** The methods that a user may call, of a given list. */
function allowed(options: Partial<AccessOptions>, user: string, methods: readonly string[]): string[] {
  const caller = new AccessRules({ ...NO_RESTRICTIONS, ...options }).callerOf(user);
  return methods.filter((method) => {
    try {
      requireAccess(method, catalogue.byName(method), caller);
      return true;
    } catch (error) {
      assert.equal((error as { kind: string }).kind, 'permission-denied');
      return false;
    }
  });
}

const METHODS = ['getblockcount', 'getbestblockhash', 'sendtoaddress', 'stop', 'nosuchmethod'];
const everything = METHODS;
const cases: readonly { name: string; options: Partial<AccessOptions>; user: string; expected: readonly string[] }[] = [
  { name: 'nothing is set', options: {}, user: 'alice', expected: everything },
  { name: 'a user with a list', options: { whitelists: ['alice:getblockcount,stop'] }, user: 'alice', expected: ['getblockcount', 'stop'] },
  {
    name: 'spaces between names',
    options: { whitelists: ['alice:getblockcount, stop'] },
    user: 'alice',
    expected: ['getblockcount', 'stop'],
  },
  { name: 'a user without a list', options: { whitelists: ['alice:getblockcount'] }, user: 'bob', expected: [] },
  { name: 'the cookie without a list', options: { whitelists: ['alice:getblockcount'] }, user: '__cookie__', expected: [] },
  {
    name: 'a user without a list, default 0',
    options: { whitelists: ['alice:getblockcount'], whitelistDefault: false },
    user: 'bob',
    expected: everything,
  },
  { name: 'no list, default 1', options: { whitelistDefault: true }, user: 'alice', expected: [] },
  {
    name: 'two lists of one user',
    options: { whitelists: ['alice:stop,getblockcount', 'alice:getblockcount,sendtoaddress'] },
    user: 'alice',
    expected: ['getblockcount'],
  },
  { name: 'a list of no names', options: { whitelists: ['alice:'] }, user: 'alice', expected: [] },
  { name: 'a user name alone', options: { whitelists: ['alice'] }, user: 'alice', expected: [] },
  { name: 'a user name alone next to a list', options: { whitelists: ['alice:stop', 'alice'] }, user: 'alice', expected: ['stop'] },
  {
    name: 'a listed method that does not exist',
    options: { whitelists: ['alice:nosuchmethod'] },
    user: 'alice',
    expected: ['nosuchmethod'],
  },
  {
    name: 'read',
    options: { roles: [{ user: 'alice', role: 'read' }] },
    user: 'alice',
    expected: ['getblockcount', 'getbestblockhash', 'nosuchmethod'],
  },
  {
    name: 'spend',
    options: { roles: [{ user: 'alice', role: 'spend' }] },
    user: 'alice',
    expected: ['getblockcount', 'getbestblockhash', 'sendtoaddress', 'nosuchmethod'],
  },
  { name: 'the role of another user', options: { roles: [{ user: 'alice', role: 'read' }] }, user: 'bob', expected: everything },
  {
    name: 'two roles of one user',
    options: {
      roles: [
        { user: 'alice', role: 'read' },
        { user: 'alice', role: 'admin' },
      ],
    },
    user: 'alice',
    expected: ['getblockcount', 'getbestblockhash', 'nosuchmethod'],
  },
  {
    name: 'a role and a list',
    options: { roles: [{ user: 'alice', role: 'read' }], whitelists: ['alice:stop,getblockcount'] },
    user: 'alice',
    expected: ['getblockcount'],
  },
];
for (const { name, options, user, expected } of cases) {
  test(`access: ${name}`, () => assert.deepEqual(allowed(options, user, METHODS), expected));
}

test('access: a certificate has the lowest role of those that match its subject, and the whitelist of its common name', () => {
  const access = new AccessRules({
    ...NO_RESTRICTIONS,
    whitelists: ['alice:stop'],
    roles: [{ user: 'carol', role: 'read' }],
    whitelistDefault: false,
  });
  const certificates = new CertificateRoles(
    [
      { subject: 'O=Example\\, Inc', role: 'read' },
      { subject: 'CN=alice', role: 'admin' },
      { subject: 'CN=carol,OU=ops', role: 'spend' },
    ],
    access,
  );
  const subject = { C: '', ST: '', L: '', O: '', OU: '', CN: '' };
  assert.deepEqual(certificates.callerOf({ ...subject, CN: 'alice' }), { user: 'alice', role: Role.ADMIN, methods: new Set(['stop']) });
  assert.equal(certificates.callerOf({ ...subject, CN: 'alice', O: 'Example, Inc' })?.role, Role.READ);
  assert.equal(certificates.callerOf({ ...subject, CN: 'carol', OU: 'ops' })?.role, Role.SPEND);
  assert.equal(certificates.callerOf({ ...subject, CN: 'carol' }), undefined);
  assert.equal(certificates.callerOf({ ...subject, CN: 'bob' }), undefined);
  assert.throws(() => new CertificateRoles([{ subject: 'alice', role: 'read' }], access), /not the subject of a certificate/);
});

test('getaccess returns the role of the caller and the operations that it may call', async () => {
  const access = new AccessRules({
    ...NO_RESTRICTIONS,
    roles: [{ user: 'alice', role: 'read' }],
    whitelists: ['bob:stop,getaccess,x'],
    whitelistDefault: false,
  });
  const ask = (user: string) => getAccess({ catalogue }, {}, { ...jsonRpcCall, caller: access.callerOf(user) });
  assert.deepEqual(await ask('bob'), { user: 'bob', role: 'admin', whitelisted: true, methods: ['getaccess', 'stop'] });
  const alice = await ask('alice');
  assert.deepEqual([alice.role, alice.whitelisted], ['read', false]);
  assert.deepEqual(alice.methods, pinned.read.trim().split(/\s+/));
});
