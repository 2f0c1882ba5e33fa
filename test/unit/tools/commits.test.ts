import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subjectProblems } from '../../tools/commits.js';

const GOOD = [
  'p2p: reach peers through SOCKS5 proxies, and Tor services only so',
  'dfi/tx: allow early resign before EunosPaya',
  'services, gateway: process a batch in order',
  '.ci: check commit subjects',
  'docs: add a glossary',
  `wallet: ${'keep '.repeat(12)}keys`,
  'Revert "p2p: reach peers through SOCKS5 proxies"',
];
for (const subject of GOOD) test(`commit subject: ${subject}`, () => assert.deepEqual(subjectProblems(subject), []));

const BAD: readonly { readonly subject: string; readonly problem: RegExp }[] = [
  { subject: 'dfi: an auction is ended in one place', problem: /"an" is no imperative/ },
  { subject: 'gateway: others have their turn between bursts', problem: /"others" is no imperative/ },
  { subject: 'gen: as the protos say', problem: /"as" is no imperative/ },
  { subject: 'mempool: fixes the rolling fee', problem: /"fixes" is no imperative/ },
  { subject: 'mempool: fixed the rolling fee', problem: /"fixed" is no imperative/ },
  { subject: 'mempool: fixing the rolling fee', problem: /"fixing" is no imperative/ },
  { subject: 'mempool: 3 fixes', problem: /"3" is no imperative/ },
  { subject: 'mempool: Fix the rolling fee', problem: /"Fix" is capitalised/ },
  { subject: 'mempool: fix the rolling fee.', problem: /full stop/ },
  { subject: 'mempool: fix the rolling fee; count orphans', problem: /semicolon/ },
  { subject: 'fix the rolling fee', problem: /area: imperative phrase/ },
  { subject: `wallet: ${'keep '.repeat(12)}a key`, problem: /73 characters, 72 at most/ },
  { subject: `Revert "${'x'.repeat(80)}"`, problem: /72 at most/ },
];
for (const { subject, problem } of BAD) {
  test(`commit subject to mend: ${subject}`, () => assert.match(subjectProblems(subject).join('; '), problem));
}
