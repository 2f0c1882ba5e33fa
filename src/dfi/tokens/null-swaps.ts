/** A pool swap whose recipient was the empty script, whose account got the result. */
export interface NullSwap {
  /** Owner who swapped, as an address of main. */
  readonly address: string;
  readonly tokenId: number;
  /** Satoshis. */
  readonly amount: bigint;
}

/** Swaps before Grand Central that are refunded at DF23, in the order of the refunds. @see docs/protocol/accounts.md 8.6 */
export const NULL_SWAPS: readonly NullSwap[] = [
  { address: 'dX9bZ7XmWSwdArNjswpZLFe12rMcaFK5tC', tokenId: 2, amount: 2879n },
  { address: 'dYBEB3q9sd7e7wi4JKsPdtaWCcrAitQd3K', tokenId: 0, amount: 17_746_031_907n },
  { address: 'daRtigh64NnuNRvKpECgcpWWJxfXoysL1B', tokenId: 2, amount: 15_733_742n },
  { address: 'dF9ot6cxhKX8o6BLYYg8jRj29uykjMH4pj', tokenId: 0, amount: 38_568_286n },
  { address: 'dFvadXjXApXbzdPDbzHdqRtqi3FRgR4bJF', tokenId: 15, amount: 2_786_945_615n },
  { address: 'dYGKdwGU5QGMFUz8jhCEe54GjLKkyMoYmw', tokenId: 15, amount: 539_588_954n },
  { address: 'dEN8ASewehaiirxSi2wXh7uthuFyuByjWi', tokenId: 0, amount: 21_555_036_213n },
  { address: 'dEzuYZ2ow4nRnzHYUiedj12DzCmKGpcwrX', tokenId: 0, amount: 0n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 26, amount: 1264n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 26, amount: 84n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 26, amount: 42n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 15, amount: 1_467_276n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 15, amount: 132_799_941n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 0, amount: 263_914n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 0, amount: 451_934n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 0, amount: 29492n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 15, amount: 3_679_962n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 15, amount: 43_318_576n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 15, amount: 43_318_011n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 15, amount: 43_316_180n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 68, amount: 2n },
  { address: 'dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo', tokenId: 15, amount: 15603n },
  { address: '8FXJVWVwDDjqWvSspCmGQ2s1HayPyUkSi4', tokenId: 15, amount: 212_403_799n },
  { address: '8FXJVWVwDDjqWvSspCmGQ2s1HayPyUkSi4', tokenId: 0, amount: 54_140_884n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 191_772_603n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 159_432_864n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 97_167_004n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 32_948_497n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 2_647_089_470n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 136_219_703n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 1_108_217_183n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 22_813_721n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 19_564_673n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 881_176_354n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 1_266_342_401n },
  { address: 'dac8o4Qw9KyWPyuiSmvU4K91BHGkJ6Ne2y', tokenId: 15, amount: 637_813_546n },
  { address: 'df1q734dll45dug5prgxznuvg7wdq2avsc20dpr3wl', tokenId: 13, amount: 49_800_219_866n },
  { address: 'dJs8vikW87E1M3e5oe4N6hUpBs89Dhh77S', tokenId: 15, amount: 1n },
  { address: 'dEPoXJzwGia1aAbz6ZRB7FFSKSeWPn1v7A', tokenId: 2, amount: 11_472_400n },
];
