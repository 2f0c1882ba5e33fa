/** Options of the node that a caller may set for its call alone. @see docs/protocol/rpc-chain.md 1.14 */
export const CALL_SETTINGS = ['walletfastselect', 'walletcoinoptskipsolvable', 'walletcoinopteagerselect'] as const;

/** True switches an option on, false off; one that is absent keeps the value of the node. */
export type CallSettings = Readonly<Partial<Record<(typeof CALL_SETTINGS)[number], boolean>>>;

/** Name of the HTTP header or gRPC metadata key that carries a setting. */
export function headerOf(setting: keyof CallSettings): string {
  return `x-${setting}`;
}

/** Reads the settings of a request: `1` is on, any other value off. @param header value of a header; undefined if it is absent */
export function readCallSettings(header: (name: string) => string | undefined): CallSettings {
  const settings: Partial<Record<keyof CallSettings, boolean>> = {};
  for (const setting of CALL_SETTINGS) {
    const text = header(headerOf(setting));
    if (text !== undefined) settings[setting] = text === '1';
  }
  return settings;
}
