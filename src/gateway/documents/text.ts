/** The first sentence of a comment, on one line: what a list of operations shows. */
export function firstSentence(text: string): string {
  return (/^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0] ?? text).replace(/\s+/g, ' ');
}
