import type { ListSmartContractsRequest, ListSmartContractsResponse } from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { balancesOf } from '../../dfi/accounts/columns.js';
import { smartContracts } from '../../dfi/kernel/contract-addresses.js';
import type { Handler } from '../../rpc/handler.js';
import { addressesOf } from '../../script/address.js';
import type { BlockchainModules } from './modules.js';

type Modules = { readonly chain: Pick<BlockchainModules['chain'], 'params' | 'state'> };

export const listSmartContracts: Handler<Modules, ListSmartContractsRequest, ListSmartContractsResponse> = ({ chain }) => ({
  contracts: smartContracts(chain.params).map(({ name, call, script }) => ({
    name,
    call,
    address: addressesOf(script, chain.params.address)[0] ?? '',
    balances: Object.fromEntries([...balancesOf(chain.state, script)].map(({ tokenId, amount }) => [tokenId, amount])),
  })),
});
