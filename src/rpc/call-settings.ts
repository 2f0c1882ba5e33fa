/** Options of the node that a caller may set for its call alone. @see docs/protocol/rpc-chain.md 1.14 */
export const CALL_SETTINGS = ['walletfastselect', 'walletcoinoptskipsolvable', 'walletcoinopteagerselect'] as const;

export type CallSettings = Readonly<Partial<Record<(typeof CALL_SETTINGS)[number], boolean>>>;

/** Header of a request, or key of its metadata. */
export function headerOf(setting: keyof CallSettings): string {
  return `x-${setting}`;
}

/** What a request says of them: 1 is on, anything else off. @param header value under a name, undefined where there is none */
export function readCallSettings(header: (name: string) => string | undefined): CallSettings {
  const given: Partial<Record<keyof CallSettings, boolean>> = {};
  for (const setting of CALL_SETTINGS) {
    const text = header(headerOf(setting));
    if (text !== undefined) given[setting] = text === '1';
  }
  return given;
}
