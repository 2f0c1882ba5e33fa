/** Characters in a row of which one could be a private key. */
const LONG_WORD = /[0-9A-Za-z]{40,}/g;
/** Hex, a public extended key, or an address in lower case. */
const PUBLIC_WORD = /^(?:[0-9A-Fa-f]+|[a-z]pub[0-9A-Za-z]+|[0-9a-z]+)$/;

/** True if a text has a word that could be a private key of a descriptor, also a damaged one. */
export function mayHoldPrivateKey(text: string): boolean {
  return (text.match(LONG_WORD) ?? []).some((word) => !PUBLIC_WORD.test(word));
}
