/** Counts and texts of a comparison of two chains. */
export class Report {
  /** Number of operations that both nodes accepted, by method. */
  readonly accepted = new Map<string, number>();
  /** Number that both refused with one text. */
  readonly refused = new Map<string, number>();
  /** Transactions of one mempool that the other refused, by reason. */
  readonly unrelayed = new Map<string, number>();
  /** Operations that were refused with different texts. */
  readonly texts: string[] = [];
  /** Operations and answers since the last common state. */
  readonly recent: string[] = [];

  accept(name: string): void {
    count(this.accepted, name);
  }

  refuse(name: string): void {
    count(this.refused, name);
  }

  leave(name: string): void {
    count(this.unrelayed, name);
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

export function isRefusal(text: string): boolean {
  return ((JSON.parse(text) as { readonly error?: unknown }).error ?? null) !== null;
}

/** Text of an error without values. */
export function reasonOf(text: string): string {
  return (/"message":"([^"]*)/.exec(text)?.[1] ?? text)
    .replace(/[0-9a-f]{20,}|[\d.]+|\b(m|n|2|bcrt1)[0-9a-zA-Z]{25,70}\b/g, '0')
    .slice(0, 120);
}
