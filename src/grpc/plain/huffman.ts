/**
 * Lengths of the codes of the bytes 0 to 255 and of the end mark, a letter each: `A` is 5 bits, `Z` is 30. The code is canonical: codes of
 * one length follow each other in the order of the symbols.
 * @see RFC 7541 appendix B
 */
const LENGTHS =
  'ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHFIBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJBKABABABBBACCBBBABCBAABCCCCCKGJIX' +
  'PRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRSVVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWV' +
  'Z';

const SHORTEST = 5;
const END = 256;

/** Two children for each node of the tree: a node, or a symbol as its complement. */
const tree = buildTree();

function buildTree(): Int16Array {
  const nodes = new Int16Array(2 * LENGTHS.length);
  let used = 1;
  const lengths = Array.from(LENGTHS, (letter) => letter.charCodeAt(0) - 65 + SHORTEST);
  const symbols = lengths.map((_, symbol) => symbol).sort((a, b) => (lengths[a] as number) - (lengths[b] as number) || a - b);
  let code = 0;
  let length = 0;
  for (const symbol of symbols) {
    code *= 2 ** ((lengths[symbol] as number) - length);
    length = lengths[symbol] as number;
    let node = 0;
    for (let bit = length - 1; bit > 0; bit--) {
      const at = 2 * node + ((code >>> bit) & 1);
      if (nodes[at] === 0) nodes[at] = used++;
      node = nodes[at] as number;
    }
    nodes[2 * node + (code & 1)] = ~symbol;
    code += 1;
  }
  return nodes;
}

/** @returns text in latin1; undefined for bytes that are no complete code with its padding */
export function decodeHuffman(bytes: Uint8Array, from: number, to: number): string | undefined {
  let text = '';
  let node = 0;
  /** Bits since the last symbol, and whether all of them are set. */
  let bits = 0;
  let isPadding = true;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    for (let shift = 7; shift >= 0; shift--) {
      const bit = (byte >>> shift) & 1;
      const next = tree[2 * node + bit] as number;
      bits += 1;
      if (bit === 0) isPadding = false;
      if (next >= 0) node = next;
      else {
        if (~next === END) return undefined;
        text += String.fromCharCode(~next);
        node = 0;
        bits = 0;
        isPadding = true;
      }
    }
  }
  return isPadding && bits < 8 ? text : undefined;
}
