/** Reads documents and the references to them: links, and `docs/protocol/chain.md 4.5` in comments. */

export interface Reference {
  /** Path as it is written. */
  readonly path: string;
  /** Numbers of sections, such as 4.5; empty for a reference to a whole document. */
  readonly sections: readonly string[];
}

const NUMBER = String.raw`\d+(?:\.\d+)*`;
const NUMBERS = String.raw`${NUMBER}(?:(?:, | and | to )${NUMBER}(?![\w)]))*`;
const HEADING = new RegExp(String.raw`^#{1,6} (?:(${NUMBER})(?:–(${NUMBER}))?\.? )?(.*)$`);

/** Numbers of the sections of a document: those of its headings, and of paragraphs that begin with one. */
export function sectionsOf(markdown: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const line of proseLines(markdown)) {
    const [, first, last] = HEADING.exec(line) ?? /^(\d+\.\d+(?:\.\d+)*) /.exec(line) ?? [];
    if (first !== undefined) for (const number of range(first, last ?? first)) found.add(number);
  }
  return found;
}

/** 3.1.1, 3.1.2 and 3.1.3 of 3.1.1 and 3.1.3. */
function range(first: string, last: string): readonly string[] {
  const parent = first.replace(/\d+$/, '');
  const [from = 0, to = 0] = [first, last].map((number) => Number(/\d+$/.exec(number)?.[0]));
  return Array.from({ length: to - from + 1 }, (_, i) => `${parent}${from + i}`);
}

/** Anchors that GitHub and similar hosts make of the headings of a document. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = proseLines(markdown).filter((line) => /^#{1,6} /.test(line));
  return new Set(
    headings.map((line) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Targets of the links of a document, without those to other hosts. */
export function linksIn(markdown: string): readonly string[] {
  const text = proseLines(markdown)
    .join('\n')
    .replaceAll(/`[^`\n]*`/g, '`');
  return [...text.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1] as string).filter((target) => !/^[a-z]+:/.test(target));
}

/** Files and folders of the repository that a document names in code spans. */
export function pathsIn(markdown: string): readonly string[] {
  return [
    ...proseLines(markdown)
      .join('\n')
      .matchAll(/`((?:src|test|proto|docs|deploy|gen)\/[\w./-]*)`/g),
  ].map((match) => match[1] as string);
}

/**
 * Parts of a folder that are missing in its README: those that no table of files or folders names in a code span, where `build-*.ts` names
 * several. A table of folders alone leaves files out.
 * @param parts names of the folder's files and folders
 */
export function unlistedParts(markdown: string, parts: readonly string[]): readonly string[] {
  const tables =
    proseLines(markdown)
      .join('\n')
      .match(/(?:^\|.*\n?)+/gm) ?? [];
  const listing = tables.filter((table) => /^\| *(?:files?|folder)\b/i.test(table));
  if (listing.length === 0) return [];
  const listsFiles = listing.some((table) => /^\|[^|]*\bfile/i.test(table));
  const names = [...listing.join('\n').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace(/\/$/, ''));
  const patterns = names.map((name) => new RegExp(`^${name.replaceAll(/[^\w*-]/g, '\\$&').replaceAll('*', '.*')}$`));
  const isListed = (part: string): boolean => patterns.some((pattern) => pattern.test(part));
  return parts.filter((part) => (listsFiles || !part.includes('.')) && !isListed(part));
}

/** References to documents below `docs/` in a comment or document. */
export function referencesIn(text: string): readonly Reference[] {
  return matches(text, new RegExp(String.raw`(?<![\w./])(docs\/[\w./-]+\.md)(?: (${NUMBERS}))?`, 'g'));
}

/** References from one document to sections of its neighbours: `chain.md 4.5`. */
export function neighboursIn(markdown: string): readonly Reference[] {
  const text = markdown.replaceAll(/\]\([^)]*\)/g, ']').replaceAll(/[[\]`]/g, '');
  return matches(text, new RegExp(String.raw`(?<![\w./])([a-z-]+\.md)(?: section)? (${NUMBERS})`, 'g'));
}

function matches(text: string, pattern: RegExp): readonly Reference[] {
  return [...text.matchAll(pattern)].map(([, path = '', numbers]) => ({ path, sections: numbers?.split(/, | and | to /) ?? [] }));
}

/** Lines outside of fenced code. */
function proseLines(markdown: string): readonly string[] {
  let isCode = false;
  return markdown.split('\n').filter((line) => {
    const isFence = line.startsWith('```');
    if (isFence) isCode = !isCode;
    return !isFence && !isCode;
  });
}
