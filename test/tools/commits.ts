/**
 * Checks the subjects of the commits since a base commit; merges are ignored.
 *
 *     node --import tsx test/tools/commits.ts <base> [head]
 *
 * Prints each subject with its problems and exits with 1 if there are any.
 */
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../shared.js';

/** Longest subject, in characters: what `git log --oneline` shows in a terminal of 80 columns. */
const LONGEST = 72;
const SUBJECT = /^(?<area>[a-z0-9.-]+(?:\/[a-z0-9.-]+)*(?:, [a-z0-9.-]+(?:\/[a-z0-9.-]+)*)*): (?<phrase>\S.*)$/;
/** Subjects that git writes. */
const GENERATED = /^(Revert|Reapply) "/;

/** First words that are no verb. */
const NO_VERB = new Set(
  `a an the this that these those what who whose whether where when how why which it its they nobody nothing everyone others one two three
  no not all each every any some more less as at by for from in of on to with without after before if so`.split(/\s+/),
);
/** Imperatives that end like another form of a verb. */
const IMPERATIVE = new Set(
  `access address bring bypass compress cross discuss dismiss embed exceed express feed focus guess need pass ping press process progress
  proceed reprocess seed shed speed string suppress swing sync-process toss witness wring`.split(/\s+/),
);

/** Problems of a commit's subject, in words; empty if it follows the rules. */
export function subjectProblems(subject: string): readonly string[] {
  const problems: string[] = [];
  const length = [...subject].length;
  if (length > LONGEST) problems.push(`${length} characters, ${LONGEST} at most`);
  if (GENERATED.test(subject)) return problems;
  const { phrase } = SUBJECT.exec(subject)?.groups ?? {};
  if (phrase === undefined) return [...problems, 'not of the form "area: imperative phrase"'];
  const word = /^[\w-]*/.exec(phrase)?.[0] ?? '';
  if (/^[A-Z][a-z]/.test(word)) problems.push(`"${word}" is capitalised`);
  if (!isImperative(word.toLowerCase())) problems.push(`"${word}" is no imperative`);
  if (phrase.includes(';')) problems.push('joins changes with a semicolon');
  if (/[.!]$/.test(phrase)) problems.push('ends in a full stop');
  return problems;
}

function isImperative(word: string): boolean {
  if (IMPERATIVE.has(word)) return true;
  return /^[a-z]/.test(word) && !NO_VERB.has(word) && !/(?:[^s]s|[^e]ed|ing)$/.test(word);
}

interface Commit {
  readonly hash: string;
  readonly subject: string;
}

function commitsSince(base: string, head: string): readonly Commit[] {
  const log = execFileSync('git', ['log', '--no-merges', '--format=%h%x09%s', `${base}..${head}`], { cwd: projectRoot, encoding: 'utf8' });
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [hash = '', ...subject] = line.split('\t');
      return { hash, subject: subject.join('\t') };
    });
}

function main([base, head = 'HEAD']: readonly string[]): number {
  if (base === undefined) {
    console.error('usage: commits.ts <base> [head]');
    return 2;
  }
  const commits = commitsSince(base, head);
  const wrong = commits
    .map((commit) => ({ ...commit, problems: subjectProblems(commit.subject) }))
    .filter(({ problems }) => problems.length > 0);
  for (const { hash, subject, problems } of wrong) console.log(`${hash} ${subject}\n        ${problems.join('; ')}`);
  console.log(`${commits.length} commits, ${wrong.length} with a subject to mend`);
  return wrong.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exit(main(process.argv.slice(2)));
