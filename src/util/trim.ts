/**
 * Text without the given characters at its ends, in linear time. A regular expression that ends in `+$` would backtrack from each of the
 * characters inside: a few hundred thousand blanks before a last letter would block the node for minutes.
 */
export function trimEnds(text: string, characters: string): string {
  let from = 0;
  while (from < text.length && characters.includes(text.charAt(from))) from += 1;
  return trimRight(text.slice(from), characters);
}

/** Text without the given characters at its end, in linear time. */
export function trimRight(text: string, characters: string): string {
  let to = text.length;
  while (to > 0 && characters.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(0, to);
}
