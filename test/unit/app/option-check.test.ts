import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkOptions } from '../../../src/app/option-check.js';
import { dataDir, load } from '../config/support.js';

const check = (...argv: string[]) => checkOptions(load('', ['-regtest', ...argv]).config);

const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256', privateKeyEncoding: { type: 'pkcs8', format: 'pem' } } as never)
  .privateKey as unknown as string;
const files = dataDir({ 'a-file': '', 'no.crt': 'no certificate', 'some.key': KEY });
const fileNamed = (name: string) => join(files, name);

const refused: readonly (readonly [argv: readonly string[], text: string | RegExp])[] = [
  [['-gen', '-masternode_operator=xyz'], 'Invalid -masternode_operator address: xyz'],
  // An address of main.
  [['-masternode_operator=8JBuS81VT8ouPrT6YS55qoS74D13Cw7h1Y'], 'Invalid -masternode_operator address: 8JBuS81VT8ouPrT6YS55qoS74D13Cw7h1Y'],
  [['-rewardaddress=foo'], 'Invalid -rewardaddress: foo'],
  [['-walletdir=/nope'], 'Specified -walletdir "/nope" does not exist'],
  [['-walletdir=.'], 'Specified -walletdir "." is a relative path'],
  [[`-walletdir=${fileNamed('a-file')}`], `Specified -walletdir "${fileNamed('a-file')}" is not a directory`],
  [['-keypool=100001'], '-keypool must not exceed 100000'],
  [['-grpctlscert=/nope', '-grpctlskey=/nope'], "Error in the file of -grpctlscert: ENOENT: no such file or directory, open '/nope'"],
  [
    [`-grpctlscert=${fileNamed('no.crt')}`, '-grpctlskey=/nope'],
    "Error in the file of -grpctlskey: ENOENT: no such file or directory, open '/nope'",
  ],
  [
    [`-grpctlscert=${fileNamed('no.crt')}`, `-grpctlskey=${fileNamed('some.key')}`],
    /^Error in the files of -grpctlscert and -grpctlskey: .*PEM/i,
  ],
  [['-grpcallowip=x'], /^Invalid -rpcallowip subnet specification: x\./],
  [['-metricsallowip=x'], /^Invalid -rpcallowip subnet specification: x\./],
  [['-proxy=foo:bar', '-dns=0'], "Invalid -proxy address or hostname: 'foo:bar'"],
  [['-onion=x', '-dns=0'], "Invalid -onion address or hostname: 'x'"],
  [['-torcontrol=foo', '-dns=0'], "Invalid -torcontrol address or hostname: 'foo'"],
  [['-bind=foo'], "Cannot resolve -bind address: 'foo'"],
  [['-whitebind=noban@127.0.0.1'], "Need to specify a port with -whitebind: '127.0.0.1'"],
  [['-externalip=foo', '-dns=0'], "Cannot resolve -externalip address: 'foo'"],
  [['-externalip=0.0.0.0'], "Cannot resolve -externalip address: '0.0.0.0'"],
  [['-whitelist=zz'], "Invalid netmask specified in -whitelist: 'zz'"],
  [['-eventkinds=block,foo'], /^Unknown kind of events in -eventkinds: foo\. Known: block, /],
  [
    ['-gateway', '-upstream=127.0.0.1:1', '-upstreamca=/nope'],
    "Error in the file of -upstreamca: ENOENT: no such file or directory, open '/nope'",
  ],
  [['-gateway', '-upstream=127.0.0.1:1', `-upstreamca=${fileNamed('some.key')}`], /^Error in the file of -upstreamca: .*PEM/i],
  [
    ['-grpctlscert=/nope', '-grpctlskey=/nope', '-grpcclientca=/nope'],
    "Error in the file of -grpctlscert: ENOENT: no such file or directory, open '/nope'",
  ],
  [
    [`-grpctlscert=${fileNamed('no.crt')}`, `-grpctlskey=${fileNamed('some.key')}`, `-grpcclientca=${fileNamed('some.key')}`],
    /^Error in the file of -grpcclientca: .*PEM/i,
  ],
];

for (const [argv, text] of refused) {
  test(`refused: ${argv.join(' ').replaceAll(files, '')}`, async () => {
    await assert.rejects(check(...argv), (error: Error) => {
      if (typeof text === 'string') assert.equal(error.message, text);
      else assert.match(error.message, text);
      return true;
    });
  });
}

const accepted: readonly (readonly string[])[] = [
  [],
  ['-gen', '-masternode_operator=mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ', '-rewardaddress=mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ'],
  [`-walletdir=${files}`],
  ['-disablewallet', '-walletdir=/nope'],
  ['-proxy=127.0.0.1', '-onion=[::1]:9', '-torcontrol=10.0.0.1', '-dns=0'],
  ['-bind=127.0.0.1', '-whitebind=noban@[::1]:5', '-externalip=1.2.3.4:5', '-whitelist=noban,relay@10.0.0.0/8'],
  ['-grpcallowip=10.0.0.0/8', '-metricsallowip=::1', '-eventkinds=block, price'],
  // The node behind a gateway has the options of a node.
  ['-gateway', '-upstream=127.0.0.1:1', '-walletdir=/nope', '-bind=foo'],
];

for (const argv of accepted) test(`accepted: ${argv.join(' ').replaceAll(files, '')}`, () => check(...argv));
