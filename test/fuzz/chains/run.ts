/**
 * Makes a random chain with our daemon and a `defid`, and compares their states after every block: `DFI_DEFID=<path of defid 3.2.8>
 * node --import tsx test/fuzz/chains/run.ts [4.2.5] [blocks] [seed=number] [hostile] [focus=name] [from=upgrade] [save=path]`, by default
 * 100 blocks; 4.2.5 needs `DFI_DEFID_425`. With `hostile` there are several wrong messages and blocks at each height. `focus` names a
 * part of the rules in `focus.ts`, which also chooses the version. `from` names the first upgrade that becomes active during the run, with
 * those after it. `save` writes the chain to a file *.jsonl.gz, on which `test/fuzz/calls` can make its calls. Fails if one node refuses a
 * block or an operation of the other, or if the states differ. A seed makes similar chains, not equal ones: ids depend on the time.
 */
import { defidPath, withoutDefid } from '../calls/defid.js';
import { countIn, seedIn } from '../words.js';
import { compareChains } from './compare.js';
import { focusIn } from './focus.js';
import { upgradeIn } from './stages.js';

const given = process.argv.slice(2);
const blocks = countIn(given, 100);
const seed = seedIn(given);
const focus = focusIn(given);
const version = focus?.version ?? (given.includes('4.2.5') ? '4.2.5' : '3.2.8');
const from = upgradeIn(given);
const save = given.flatMap((word) => /^save=(.+)$/.exec(word)?.[1] ?? [])[0];
const defid = defidPath(version);

if (defid === undefined) console.log(`skipped: ${withoutDefid(version)}`);
else {
  const { report, ended, difference } = await compareChains(defid, {
    version,
    blocks,
    seed,
    from,
    save,
    focus,
    isHostile: given.includes('hostile'),
  });
  const { accepted, refused, unrelayed, texts } = report;
  const lines = (counts: ReadonlyMap<string, number>) =>
    [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => `  ${count} ${name}`);
  console.log(
    [
      `seed ${seed}, ${blocks} blocks: accepted`,
      ...lines(accepted),
      'refused by both',
      ...lines(refused),
      'in one mempool only',
      ...lines(unrelayed),
    ].join('\n'),
  );
  for (const text of texts) console.log(`other text: ${text}`);
  if (ended) console.log('ended early: defid has ended, or could not disconnect a block, or neither node can make one');
  console.log(difference === undefined ? 'no difference in transactions, blocks or states' : `different: ${difference}`);
  if (difference !== undefined || texts.length > 0) process.exitCode = 1;
}
