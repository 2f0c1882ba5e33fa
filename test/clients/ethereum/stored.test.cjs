const { expect } = require('chai');
const { ethers, network } = require('hardhat');
const helpers = require('@nomicfoundation/hardhat-network-helpers');

const ABI = [
  'function store(uint256 value)',
  'function retrieve() view returns (uint256)',
  'event Stored(address indexed who, uint256 value)',
];
const CODE = process.env.DFI_STORED_CODE;
const SOME = `0x${'77'.repeat(20)}`;

describe('Stored', () => {
  let owner;
  let other;
  let contract;

  async function deployed() {
    const made = await new ethers.ContractFactory(ABI, CODE, owner).deploy();
    await made.waitForDeployment();
    return made;
  }

  before(async () => {
    [owner, other] = await ethers.getSigners();
    contract = await deployed();
  });

  it('is empty at first', async () => expect(await contract.retrieve()).to.equal(0n));

  it('stores a value and emits an event, for two accounts', async () => {
    await expect(contract.store(7)).to.emit(contract, 'Stored').withArgs(owner.address, 7n);
    await expect(contract.connect(other).store(8)).to.emit(contract, 'Stored').withArgs(other.address, 8n);
    expect(await contract.retrieve()).to.equal(8n);
    expect((await contract.queryFilter('Stored', 0)).length).to.equal(2);
    expect((await contract.queryFilter(contract.filters.Stored([owner.address, other.address]), 0)).length).to.equal(2);
  });

  it('changes balances', () =>
    expect(owner.sendTransaction({ to: other.address, value: 5n })).to.changeEtherBalances([owner, other], [-5n, 5n]));

  it('reverts', async () => {
    const wrong = new ethers.Contract(await contract.getAddress(), ['function nothing()'], owner);
    await expect(wrong.nothing({ gasLimit: 100_000n })).to.be.reverted;
    await expect(wrong.nothing.staticCall()).to.be.reverted;
  });

  it('has receipts, blocks, estimates and prices', async () => {
    const sent = await contract.store(9);
    const receipt = await sent.wait();
    const block = await ethers.provider.getBlock(receipt.blockNumber);
    expect(block.transactions).to.include(sent.hash);
    expect(await contract.store.estimateGas(1)).to.be.greaterThan(21_000n);
    expect((await ethers.provider.getFeeData()).gasPrice).to.be.greaterThan(0n);
  });

  it('moves time and returns to snapshots', async () => {
    const before = await ethers.provider.getBlock('latest');
    const snapshot = await network.provider.send('evm_snapshot', []);
    await network.provider.send('evm_increaseTime', [3600]);
    await network.provider.send('evm_mine', []);
    const after = await ethers.provider.getBlock('latest');
    expect(after.timestamp - before.timestamp).to.be.at.least(3600);
    expect(await network.provider.send('evm_revert', [snapshot])).to.equal(true);
    expect((await ethers.provider.getBlock('latest')).hash).to.equal(before.hash);
  });

  it('serves the network helpers and fixtures', async () => {
    await helpers.mine(3);
    await helpers.time.increase(100);
    await helpers.setBalance(other.address, 5n * 10n ** 18n);
    await helpers.setCode(SOME, '0x6001');
    await helpers.setStorageAt(SOME, 1, 2);
    expect(await ethers.provider.getCode(SOME)).to.equal('0x6001');
    const one = await helpers.loadFixture(deployed);
    await (await one.store(5)).wait();
    const again = await helpers.loadFixture(deployed);
    expect(await again.retrieve()).to.equal(0n);
  });
});
