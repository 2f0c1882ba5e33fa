/**
 * Finds comments and titles of tests in a shape that the style does not allow: those that open with a relative clause, and those with
 * words that docs/glossary.md replaces.
 *
 *     node --import tsx test/tools/prose.ts                    counts per folder
 *     node --import tsx test/tools/prose.ts --list [folder]    prints each finding, below a folder
 *     node --import tsx test/tools/prose.ts --max=N            also exits with 1 if there are more than N: lower N, never raise it
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesBelow, projectRoot } from '../shared.js';

export interface Comment {
  /** Line of the first character, from 1. */
  readonly line: number;
  /** Text without the comment signs; lines are joined by a space, a tag begins a new line. */
  readonly text: string;
}

export interface Finding {
  readonly line: number;
  readonly kind: 'opening' | 'word';
  readonly found: string;
  /** A wording to choose from; empty for openings. */
  readonly instead: string;
}

/** The first word of a comment or of a tag's text. */
const OPENING =
  /^(?:@param\s+[\w.]+\s+|@(?!param\b)\w+\s+(?:\{[^}]*\}\s*)?)?(what|who|whom|whose|whoever|whether|where|how|which|why|so many|so much)\b/i;

/** Comments that are meant for a tool. */
const DIRECTIVE = /^(biome-ignore|@ts-)/;

/** Words and phrases to replace, with a wording to choose from. */
const WORDS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again, re-'],
  [/\ba kill\b/i, 'an unclean shutdown'],
  [/\bgo(?:es|ne|ing)? past\b|\bwent past\b/i, 'skip, ignore, reject'],
  [/\bgo(?:es|ne|ing)? on\b|\bwent on\b/i, 'continue, keep running'],
  [/\btold\b(?! apart)/i, 'notified, returned, answered, announced'],
  [/\btells\b(?!.{0,40}\bapart\b)|\btell of\b/i, 'announce, report, return, reveal, show'],
  [/\bhears?\b|\bheard\b/i, 'receive, be notified of'],
  [/\baside\b/i, 'reserved'],
  [/\bbeside\b/i, 'besides, in addition to, next to'],
  [/\bwhoever\b|\bwhosoever\b/i, 'the caller, the peer, the owner'],
  [/\bnobody\b|\bno one\b/i, 'the empty script, no peer, no caller'],
  [/\b(?:some|every)(?:body|one)\b|\banybody\b/i, 'a peer, a caller, an owner'],
  [/\bshows? (?:it|them)sel(?:f|ves)\b/i, 'authorise, sign'],
  [/\bvouch(?:es|ed)?\b/i, 'prove, guarantee'],
  [/\btakes? in\b|\btaken in\b|\btook in\b/i, 'import, accept'],
  [/\bbrings? up\b|\bbrought up\b/i, 'start'],
  [/\bgives? back\b|\bgiven back\b/i, 'return'],
  [/\bstands?\b(?! (?:for|alone|out)\b)|\bstood\b/i, 'is, is at, is stored, stalled, replaces'],
  [/\blies\b|\blie\b/i, 'is, is stored'],
  [
    /\b(?:answers?|applies|comes?|ends?|fails?|known|leaves?|learns? of it|refused|refunded|rejected|returns?|sent) at once\b/i,
    'immediately',
  ],
  [/\btrouble\b/i, 'fault, error'],
  [/\bsettl(?:e|es|ed|ing)\b/i, 'materialise (rewards), pay out, close, verify, select, resolve'],
  [/\bthe reference\b/i, 'defid'],
  [/\bthe document\b/i, 'the operations document'],
];

/** Comments of TypeScript or protobuf. Neighbouring `//` lines are one comment. */
export function commentsOf(source: string): readonly Comment[] {
  const found: { line: number; text: string; isLine: boolean; end: number }[] = [];
  let block: { line: number; parts: string[] } | undefined;
  source.split('\n').forEach((line, at) => {
    if (block) {
      const close = line.indexOf('*/');
      block.parts.push(close < 0 ? line : line.slice(0, close));
      if (close < 0) return;
      found.push({ line: block.line, text: joined(block.parts), isLine: false, end: at });
      block = undefined;
      return;
    }
    const opens = /^[^'"`/]*\/\*\*?(?!\/)(.*)$/.exec(line);
    if (opens) {
      const rest = opens[1] ?? '';
      const close = rest.indexOf('*/');
      if (close < 0) block = { line: at + 1, parts: [rest] };
      else found.push({ line: at + 1, text: joined([rest.slice(0, close)]), isLine: false, end: at });
      return;
    }
    const text = /(?:^\s*|[;{},)\]]\s+)\/\/\s?(.*)$/.exec(line)?.[1];
    if (text === undefined || DIRECTIVE.test(text)) return;
    const last = found.at(-1);
    const isLine = /^\s*\/\//.test(line);
    if (isLine && last?.isLine && last.end === at - 1) {
      last.text += ` ${text.trim()}`;
      last.end = at;
    } else found.push({ line: at + 1, text: text.trim(), isLine, end: at });
  });
  return found.filter(({ text }) => text !== '').map(({ line, text }) => ({ line, text }));
}

/** A call that declares a test, up to the end of its title. */
const TITLE =
  /^[ \t]*(?:for \(.*\) )?(?:await )?(?:\w+\.)?(?:test|it|describe|property)(?:\.\w+)?\(\s*(?:'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/gm;

/** Titles of tests, without the values that they insert. */
export function titlesOf(source: string): readonly Comment[] {
  return [...source.matchAll(TITLE)].map((match) => ({
    line: source.slice(0, match.index).split('\n').length,
    text: (match[1] ?? match[2] ?? '').replaceAll(/\$\{[^}]*\}/g, ''),
  }));
}

function joined(parts: readonly string[]): string {
  const lines = parts.map((part) => part.replace(/^\s*\*?\s?/, '').trim()).filter((part) => part !== '');
  return lines.join(' ').replaceAll(/ (?=@\w)/g, '\n');
}

/** Findings in a comment: at most one opening for it and for each of its tags, and every word to replace. */
export function findingsIn({ line, text }: Comment): readonly Finding[] {
  const findings: Finding[] = [];
  for (const part of text.split('\n')) {
    const opening = OPENING.exec(part)?.[1];
    if (opening !== undefined) findings.push({ line, kind: 'opening', found: opening, instead: '' });
  }
  // Code and quotations are not prose.
  const prose = text.replaceAll(/`[^`]*`|"[^"]*"/g, '');
  for (const [pattern, instead] of WORDS) {
    for (const match of prose.matchAll(new RegExp(pattern, 'gi'))) findings.push({ line, kind: 'word', found: match[0], instead });
  }
  return findings;
}

interface FileFinding extends Finding {
  readonly file: string;
}

function findingsBelow(folder: string): readonly FileFinding[] {
  const sources = filesBelow(join(projectRoot, folder)).filter((path) => /\.(ts|mjs|proto)$/.test(path));
  return sources.flatMap((path) => {
    const file = relative(projectRoot, path);
    const source = readFileSync(path, 'utf8');
    return [...commentsOf(source), ...titlesOf(source)].flatMap(findingsIn).map((finding) => ({ ...finding, file }));
  });
}

/** `src/chain` of `src/chain/connect.ts`, `src` of `src/app/node.ts`. */
function folderOf(file: string): string {
  const parts = file.split('/');
  return parts.slice(0, Math.min(2, parts.length - 1)).join('/');
}

function printCounts(findings: readonly FileFinding[]): void {
  const counts = new Map<string, { opening: number; word: number }>();
  for (const { file, kind } of findings) {
    const folder = folderOf(file);
    const count = counts.get(folder) ?? { opening: 0, word: 0 };
    count[kind] += 1;
    counts.set(folder, count);
  }
  for (const [folder, { opening, word }] of counts) console.log(`${folder.padEnd(24)} ${opening} openings, ${word} words`);
}

function main(args: readonly string[]): number {
  const max = args.map((arg) => /^--max=(\d+)$/.exec(arg)?.[1]).find((value) => value !== undefined);
  const folders = args.filter((arg) => !arg.startsWith('--'));
  const findings = (folders.length > 0 ? folders : ['src', 'proto/dfi', 'test']).flatMap(findingsBelow);
  if (args.includes('--list')) {
    for (const { file, line, kind, found, instead } of findings) {
      console.log(`${file}:${line}: ${kind === 'opening' ? `opens with "${found}"` : `"${found}": ${instead}`}`);
    }
  } else printCounts(findings);
  const openings = findings.filter(({ kind }) => kind === 'opening').length;
  console.log(`${findings.length} findings: ${openings} openings, ${findings.length - openings} words`);
  return max !== undefined && findings.length > Number(max) ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exit(main(process.argv.slice(2)));
