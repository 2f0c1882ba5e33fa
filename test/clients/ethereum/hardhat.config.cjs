const { extendProvider } = require('hardhat/config');
require('@nomicfoundation/hardhat-ethers');
require('@nomicfoundation/hardhat-chai-matchers');

// The network helpers of Hardhat ask for a development network by the name of its program.
extendProvider((provider) => {
  const request = provider.request.bind(provider);
  provider.request = (call) => (call.method === 'web3_clientVersion' ? Promise.resolve('anvil/dfi-node') : request(call));
  return provider;
});

const url = process.env.DFI_ETHEREUM_URL;
const mnemonic = 'test test test test test test test test test test test junk';

module.exports = {
  solidity: '0.8.20',
  paths: { tests: '.' },
  networks: { dfi: { url, chainId: 1133, accounts: { mnemonic } }, wallet: { url, chainId: 1133 } },
};
