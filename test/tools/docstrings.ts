/**
 * Finds exported declarations of `src/` that need a doc comment and have none.
 *
 * An export needs one if it is a class, or if it spells out a number, a bigint, a text, bytes, a list or a map: these say neither unit
 * nor shape nor order. Spelled out are the parameters and the result of a function, the type of a constant (its value if the type is
 * not written), the body of a type, and the members of an interface of several. Parts that have a comment of their own or a name that
 * ends in a unit, such as `timeoutMs`, do not count.
 *
 *     node --import tsx test/tools/docstrings.ts                     counts per folder
 *     node --import tsx test/tools/docstrings.ts --list [folder]     prints each finding, below a folder
 *     node --import tsx test/tools/docstrings.ts --max=N             also exits with 1 if there are more than N: lower N, never raise it
 */
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import {
  isArrowFunction,
  isClassDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
  isTypeReferenceNode,
  isVariableStatement,
} from 'typescript/unstable/ast/is';
import type { FileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';
import { projectRoot } from '../shared.js';

interface Finding {
  /** Path below the root of the project. */
  readonly file: string;
  /** Line of the declaration, from 1. */
  readonly line: number;
  readonly name: string;
  /** The part that says neither unit nor shape; `class` for a class. */
  readonly reason: string;
}

/** Types and values that say neither unit nor shape nor order. */
const SILENT: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.NumberKeyword,
  SyntaxKind.BigIntKeyword,
  SyntaxKind.StringKeyword,
  SyntaxKind.ArrayType,
  SyntaxKind.TupleType,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.ArrayLiteralExpression,
  SyntaxKind.NewExpression,
]);

const SILENT_NAMES = /^(Uint8Array|(Readonly)?(Array|Map|Set|Record)|(Async)?(Iterable|Iterator|IterableIterator|Generator))$/;

/** Parts of a declaration that are not its signature. Calls and indexed types are described where they are declared. */
const HIDDEN: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.Block,
  SyntaxKind.CallExpression,
  SyntaxKind.TypeParameter,
  SyntaxKind.IndexedAccessType,
]);

const UNIT_NAME = /(Ms|Sec|Seconds|Bytes|[hH]eight|[iI]ndex|[cC]ount|[nN]ame|[tT]ext|message|MS|SECONDS(_PER_\w+)?|BYTES|HEIGHT|COUNT)$/;

/** The first part of a signature that says neither unit nor shape; undefined if there is none. */
function silentPart(node: Node): Node | undefined {
  if (SILENT.has(node.kind)) return node;
  if (isTypeReferenceNode(node) && isIdentifier(node.typeName) && SILENT_NAMES.test(node.typeName.text)) return node;
  if (HIDDEN.has(node.kind) || (node.jsDoc?.length ?? 0) > 0 || UNIT_NAME.test(nameOf(node))) return undefined;
  if (isArrowFunction(node) || isFunctionDeclaration(node)) return firstSilent([...node.parameters, node.type]);
  return node.forEachChild(silentPart);
}

function firstSilent(nodes: readonly (Node | undefined)[]): Node | undefined {
  for (const node of nodes) {
    const silent = node && silentPart(node);
    if (silent) return silent;
  }
  return undefined;
}

/** Name of a declaration or member; empty if it has none. */
function nameOf(node: Node): string {
  const { name } = node as { readonly name?: Node };
  return name && isIdentifier(name) ? name.text : '';
}

function isExported(node: Node): boolean {
  const { modifiers } = node as { readonly modifiers?: readonly Node[] };
  return modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword) ?? false;
}

/** Exported declarations that need a doc comment and have none, in the order of the file. */
function findingsIn(source: SourceFile, file: string): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (node: Node, reason: string | undefined): void => {
    if (reason === undefined) return;
    const line = source.text.slice(0, node.getStart(source)).split('\n').length;
    findings.push({ file, line, name: nameOf(node), reason });
  };
  const reasonOf = (silent: Node | undefined): string | undefined => silent?.getText(source);
  for (const node of source.statements) {
    if (!isExported(node) || (node.jsDoc?.length ?? 0) > 0) continue;
    if (isClassDeclaration(node)) add(node, 'class');
    else if (isFunctionDeclaration(node)) add(node, reasonOf(silentPart(node)));
    else if (isTypeAliasDeclaration(node)) add(node, reasonOf(silentPart(node.type)));
    else if (isInterfaceDeclaration(node)) {
      if (node.members.length > 1) add(node, reasonOf(firstSilent(node.members)));
    } else if (isVariableStatement(node)) {
      for (const each of node.declarationList.declarations)
        if (!UNIT_NAME.test(nameOf(each))) add(each, reasonOf(firstSilent([each.type ?? each.initializer])));
    }
  }
  return findings;
}

/**
 * Findings in the files of a project, sorted by path.
 * @param root folder with the `tsconfig.json`
 * @param folders folders or files below the root
 * @param fs files instead of those on disk
 */
export function findingsBelow(root: string, folders: readonly string[], fs?: FileSystem): readonly Finding[] {
  const api = new API(fs ? { cwd: root, fs } : { cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()[0];
    if (!project) throw new Error(`no tsconfig.json in ${root}`);
    const isChosen = (file: string): boolean => folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
    return project.rootFiles
      .map((path) => relative(root, path))
      .filter(isChosen)
      .sort()
      .flatMap((file) => {
        const source = project.program.getSourceFile(join(root, file));
        return source ? findingsIn(source, file) : [];
      });
  } finally {
    api.close();
  }
}

function main(args: readonly string[]): number {
  const max = args.map((arg) => /^--max=(\d+)$/.exec(arg)?.[1]).find((value) => value !== undefined);
  const folders = args.filter((arg) => !arg.startsWith('--')).map((folder) => folder.replace(/\/$/, ''));
  const findings = findingsBelow(projectRoot, folders.length > 0 ? folders : ['src']);
  if (args.includes('--list')) {
    for (const { file, line, name, reason } of findings) console.log(`${file}:${line}: ${name}: ${reason.split('\n', 1)}`);
  } else {
    const counts = new Map<string, number>();
    for (const { file } of findings) {
      const folder = file.split('/').slice(0, 2).join('/');
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    for (const [folder, count] of counts) console.log(`${folder.padEnd(24)} ${count}`);
  }
  console.log(`${findings.length} exports need a doc comment`);
  return max !== undefined && findings.length > Number(max) ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exit(main(process.argv.slice(2)));
