import { evmReceiptLists } from '../../dfi/evm/block-columns.js';
import { addressBytes, wordBytes } from '../../evm/words.js';
import { toHex } from '../../util/bytes.js';
import { type FoundEvent, observed } from './observed.js';

/** Logs of contracts. */
export const evmLogEvents = observed(evmReceiptLists, ({ key, before, after }) =>
  (after ?? before ?? []).flatMap(({ logs }, transactionIndex) =>
    logs.map(({ address, topics, data }, logIndex): FoundEvent => {
      const evmLog = {
        blockNumber: key,
        transactionIndex,
        logIndex,
        address: hex(addressBytes(address)),
        topics: topics.map((topic) => hex(wordBytes(topic))),
        data: hex(data),
      };
      return { kind: 'evm_log', body: { evmLog }, contract: address };
    }),
  ),
);

function hex(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}
