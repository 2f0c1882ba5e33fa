/**
 * Text without the given characters at its ends, in linear time. A regular expression that ends in `+$` would backtrack from each of the
 * characters inside: a few hundred thousand blanks before a last letter would block the node for minutes.
 */
export function trimEnds(text: string, characters: string): string {
  let from = 0;
  while (from < text.length && characters.includes(text.charAt(from))) from += 1;
  return trimRight(text.slice(from), characters);
}

/** Text without blanks at its ends; a text of blanks alone stays as it is, as in `defid`, where it is a symbol like any other. */
export function trimBlanks(text: string): string {
  return trimEnds(text, ' \n\r\t') || text;
}

/** Text without the given characters at its end, in linear time. */
export function trimRight(text: string, characters: string): string {
  let to = text.length;
  while (to > 0 && characters.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(0, to);
}
