/** A transaction or token that a block refuses, with the words of `defid`. The block is as it was before. */
export class EntryRefused extends Error {}
