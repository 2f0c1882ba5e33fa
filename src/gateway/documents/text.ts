/** First sentence of a comment on one line, for the summary of an operation. */
export function firstSentence(text: string): string {
  return (/^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0] ?? text).replace(/\s+/g, ' ');
}
