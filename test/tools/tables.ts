/** Reads tables of documents. */

/** Cells of the body rows of all tables in a section, from its heading to the next one; code signs are left out. */
export function tableRows(markdown: string, section: string): readonly (readonly string[])[] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => new RegExp(String.raw`^#+ ${section.replaceAll('.', String.raw`\.`)}\.? `).test(line));
  if (start < 0) throw new RangeError(`no section ${section}`);
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line));
  const body = length < 0 ? lines.slice(start + 1) : lines.slice(start + 1, start + 1 + length);
  return body.filter((line, at) => isRow(line) && !isRuler(line) && !isRuler(body[at + 1] ?? '')).map(cellsOf);
}

function isRow(line: string): boolean {
  return line.startsWith('|');
}

/** The line below a table's head. */
function isRuler(line: string): boolean {
  return /^\|[-|: ]+$/.test(line);
}

function cellsOf(line: string): readonly string[] {
  return line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('`', '').trim());
}
