import { CREATION } from '../../e2e/defid-pair.js';
import type { Samples } from './random-call.js';

/**
 * Calls of what 4.2.5 has in addition: operations, arguments and EVM addresses. They take the place of the general samples of the same
 * operation. Placeholders as in `SAMPLES`, and `$E` an EVM address, `$V` a hash of the EVM.
 */
export const METACHAIN_SAMPLES: Samples = {
  addressmap: [
    ['$A', 1],
    ['$E', 2],
  ],
  cleargovheights: [[]],
  evmtx: [
    ['$E', 0, 21, 21000, '$E', 1],
    ['$E', 0, 21, 100000, '$E', 0, '00'],
  ],
  getaccount: [['$E'], ['$E', { limit: 1 }, true], ['$A', {}, true, true], ['$E', {}, false, true]],
  getaddressinfo: [['$E'], ['$A']],
  getcustomtx: [['$H'], ['$V']],
  getlockedtokens: [['$A']],
  gettokenbalances: [[], [{ limit: 1 }, true], [{}, true, true], [{}, true, true, true]],
  listaccounts: [[], [{ limit: 100 }, true, false], [{ start: '$A', including_start: true }, true, true, false]],
  listlockedtokens: [[]],
  listloantokenliquidity: [[]],
  logvmmaps: [[0], [1], [2], [3], [4], [5], [6]],
  sendtokenstoaddress: [
    [{}, { $E: '1@DFI' }],
    [{ $A: '1@DFI' }, { $E: '1@DFI' }],
  ],
  transferdomain: [
    [[{ src: { address: '$A', amount: '1@DFI', domain: 2 }, dst: { address: '$E', amount: '1@DFI', domain: 3 } }]],
    [[{ src: { address: '$E', amount: '1@$S', domain: 3 }, dst: { address: '$A', amount: '1@$S', domain: 2 }, nonce: 1 }]],
    [
      [
        {
          src: { address: '$A', amount: '1@$S', domain: 2, data: '00' },
          dst: { address: '$E', amount: '1@$S', domain: 3 },
          singlekeycheck: false,
        },
      ],
    ],
  ],
  unsetgovheight: [['ATTRIBUTES', 1000, ['v0/token/0/payback_dfi']]],
  utxostoaccount: [[{ $A: '1@DFI' }], [{ $E: '1@DFI' }]],
  validateaddress: [['$E'], ['$A']],
  vmmap: [
    ['$V', 0],
    ['$H', 3],
    ['$V', 4],
    ['$H', 5],
    ['1', 6],
  ],
};

const CALL = { from: '$E', to: '$E', value: '0x1' };
const OVERRIDES = { $E: { balance: '0x5' } };

/** Methods of the Ethereum port of `defid` 4.2.5. */
export const ETHEREUM_SAMPLES: Samples = {
  debug_feeEstimate: [[CALL]],
  debug_traceBlockByHash: [['$V'], ['$V', { tracer: 'callTracer' }]],
  debug_traceBlockByNumber: [['latest'], ['0x3', { tracer: 'callTracer' }]],
  debug_traceCall: [
    [CALL, 'latest'],
    [CALL, '0x3', { tracer: 'callTracer' }, OVERRIDES],
  ],
  debug_traceTransaction: [
    ['$V'],
    ['$V', { tracer: 'callTracer' }],
    ['$V', { tracer: 'prestateTracer' }],
    ['$V', { tracer: '4byteTracer' }],
  ],
  eth_blockNumber: [[]],
  eth_call: [
    [CALL, 'latest'],
    [{ to: '$E', data: '0x18160ddd' }, '0x5'],
    [{ data: CREATION }],
    [{ ...CALL, input: '0x70a08231' }, 'latest', OVERRIDES],
  ],
  eth_createAccessList: [[CALL], [{ to: '$E', data: '0x18160ddd' }, 'latest']],
  eth_estimateGas: [[CALL], [{ from: '$E', data: CREATION }, 'latest'], [{ to: '$E', data: '0x18160ddd' }, '0x5', OVERRIDES]],
  eth_feeHistory: [
    ['0x4', 'latest', [25, 75]],
    ['0x2', '0x5', []],
  ],
  eth_gasPrice: [[]],
  eth_getBalance: [
    ['$E', 'latest'],
    ['$E', '0x4'],
  ],
  eth_getBlockByHash: [
    ['$V', false],
    ['$V', true],
  ],
  eth_getBlockByNumber: [
    ['latest', false],
    ['0x5', true],
  ],
  eth_getBlockTransactionCountByHash: [['$V']],
  eth_getBlockTransactionCountByNumber: [['latest'], ['0x5']],
  eth_getCode: [
    ['$E', 'latest'],
    ['$E', '0x3'],
  ],
  eth_getLogs: [
    [{ fromBlock: '0x0', toBlock: 'latest' }],
    [{ address: '$E', topics: [null, '$V'] }],
    [{ blockHash: '$V' }],
    [{ address: ['$E', '$E'], fromBlock: '0x2', topics: [['$V'], []] }],
  ],
  eth_getStorageAt: [
    ['$E', '0x0', 'latest'],
    ['$E', '0x3', '0x6'],
  ],
  eth_getTransactionByBlockHashAndIndex: [['$V', '0x0']],
  eth_getTransactionByBlockNumberAndIndex: [
    ['latest', '0x0'],
    ['0x5', '0x1'],
  ],
  eth_getTransactionByHash: [['$V']],
  eth_getTransactionCount: [
    ['$E', 'latest'],
    ['$E', '0x5'],
  ],
  eth_getTransactionReceipt: [['$V']],
  eth_maxPriorityFeePerGas: [[]],
  eth_sendRawTransaction: [['0x12']],
  net_version: [[]],
  web3_sha3: [['0x12']],
};
