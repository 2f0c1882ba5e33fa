import { readFileSync } from 'node:fs';
import { type Checkpoint, parseCheckpointFile } from '../params/checkpoints.js';
import type { NetworkOptions } from '../params/index.js';
import { heightsOfFlags } from '../params/upgrade-heights.js';
import { wantsOceanIndex } from './build-ocean.js';
import { forgets } from './build-wallet.js';
import type { ChainConfig, MempoolConfig, MintingConfig } from './config.js';
import { ConfigError } from './errors.js';
import { parseMoney } from './money.js';
import { isBootstrapping } from './networks.js';
import { leadingInteger } from './option.js';
import type { KeyOf } from './options.js';
import type { Settings } from './settings.js';
import type { Sources } from './sources.js';

const MIB = 1024 * 1024;
const SMALLEST_PRUNE_MIB = 550;
const MAX_SIGNATURE_CACHE_MIB = 16_384;
/** -maxmempool must be at least the size limit of a chain of descendants times this. */
const SMALLEST_MEMPOOL_FACTOR = 40;

/** Options of the network parameters. @throws {ConfigError} if the file of -checkpoints-file is malformed */
export function networkOptions({ settings, network }: Pick<Sources, 'settings' | 'network'>): NetworkOptions {
  const movable = network.name === 'regtest' || settings.isSet('mocknet');
  return {
    network: network.name,
    jellyfish: settings.bool('jellyfish_regtest') || network.isDev === true,
    allUpgrades: network.isDev === true,
    impersonation: network.isDev === true,
    dummyPos: settings.bool('dummypos'),
    noTokens: settings.bool('txnotokens'),
    subsidyTest: settings.bool('subsidytest'),
    simulateMainnet: settings.bool('simulatemainnet'),
    anchorQuorum: settings.int('anchorquorum'),
    skipLoanCollateralValidation: settings.bool('regtest-skip-loan-collateral-validation'),
    mintTokenAsOnMain: settings.bool('regtest-minttoken-simulate-mainnet'),
    maxTipAge: settings.int('maxtipage'),
    keepsSwapTotals: settings.bool('dexstats'),
    keepsNegativeInterest: settings.bool('negativeinterest'),
    vbParams: settings.list('vbparams'),
    bootstrap: isBootstrapping(settings, network.name),
    ...(movable ? movedHeights(settings) : {}),
    ...(settings.bool('mocknet')
      ? { mocknet: { blockTime: settings.int('mocknet-blocktime'), foundationMember: settings.text('mocknet-key') } }
      : {}),
    ...checkpoints(settings),
  };
}

function movedHeights(settings: Settings): Pick<NetworkOptions, 'upgradeHeights' | 'segwitHeight'> {
  const upgradeHeights = heightsOfFlags((flag) => {
    const key = flag.slice(1) as KeyOf<'int'>;
    return settings.isSet(key) ? settings.int(key) : undefined;
  });
  return settings.isSet('segwitheight') ? { upgradeHeights, segwitHeight: settings.int('segwitheight') } : { upgradeHeights };
}

function checkpoints(settings: Settings): { checkpoints?: readonly Checkpoint[] } {
  const file = settings.text('checkpoints-file');
  if (file === '') return {};
  try {
    return { checkpoints: parseCheckpointFile(readCheckpoints(file)) };
  } catch (cause) {
    throw new ConfigError(`Error in checkpoints file : ${(cause as Error).message}`, { cause });
  }
}

function readCheckpoints(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`Could not read ${file}. Ensure it exists and has read permissions`, { cause });
  }
}

/** Options of chain and indexes. @throws {ConfigError} with the text of `defid` for values that are wrong or exclude each other */
export function chainConfig({ settings, network }: Pick<Sources, 'settings' | 'network'>): ChainConfig {
  const blockFilterIndex = wantsBlockFilters(settings);
  const oceanIndex = wantsOceanIndex(settings);
  const txIndex = settings.bool('txindex') || oceanIndex;
  return {
    txIndex,
    blockFilterIndex,
    accountIndex: settings.bool('acindex'),
    vaultIndex: settings.bool('vaultindex'),
    eventRetention: Math.max(0, settings.int('eventretention')),
    validatesSnapshot: settings.bool('validatesnapshot'),
    pruneTargetBytes: pruneTarget(settings, { oceanIndex, txIndex, blockFilterIndex }),
    cacheBytes: Math.max(4, settings.int('dbcache')) * MIB,
    reindex: settings.bool('reindex'),
    reindexChainState: settings.bool('reindex-chainstate'),
    checkBlocks: settings.int('checkblocks'),
    checkLevel: settings.int('checklevel'),
    consolidatedTokens: settings.list('consolidaterewards').map((symbol) => symbol.trim()),
    crashRatio: settings.int('dbcrashratio'),
    importedFiles: settings.list('loadblock').filter((file) => file !== ''),
    stopsAfterImport: settings.bool('stopafterblockimport'),
    stopAtHeight: settings.int('stopatheight'),
    interruptAt: interruptionOf(settings.text('interrupt-block')),
    alertCommand: settings.isSet('alertnotify') ? settings.text('alertnotify') : undefined,
    notifyCommand: settings.isSet('blocknotify') ? settings.text('blocknotify') : undefined,
    stopCommands: settings.list('shutdownnotify').filter((command) => command !== ''),
    assumeValid: assumedBlock(settings.text('assumevalid')),
    minimumChainWork: minimumChainWork(settings),
    mockTime: settings.int('mocktime'),
    checkpoints: settings.bool('checkpoints'),
    scriptThreads: settings.int('par'),
    evmStartState: startState(settings, network.name),
  };
}

/** Digits of -assumevalid; undefined for an empty text. */
function assumedBlock(text: string): string | undefined {
  if (text === '') return undefined;
  const digits = /^(?:0x)?([0-9a-f]{1,64})$/i.exec(text)?.[1];
  if (digits === undefined) throw new ConfigError(`Invalid block hash in -assumevalid=<hex>: '${text}'`);
  return digits;
}

/** A text of 64 characters is a hash, like in `defid`; others are read as a number. */
function interruptionOf(text: string): ChainConfig['interruptAt'] {
  if (text === '') return undefined;
  return text.length === 64 ? { hash: text } : { height: leadingInteger(text) };
}

function startState(settings: Settings, network: string): string | undefined {
  const file = settings.text('ethstartstate') || undefined;
  if (file && network !== 'regtest') throw new ConfigError('Loading a genesis from JSON file is restricted to regtest network');
  return file;
}

function wantsBlockFilters(settings: Settings): boolean {
  const value = settings.text('blockfilterindex');
  if (value === '' || value === '1') return true;
  if (value === '0') return false;
  const unknown = settings.list('blockfilterindex').find((name) => name !== 'basic');
  if (unknown !== undefined) throw new ConfigError(`Unknown -blockfilterindex value ${unknown}.`);
  return true;
}

function pruneTarget(
  settings: Settings,
  indexes: Readonly<Record<'oceanIndex' | 'txIndex' | 'blockFilterIndex', boolean>>,
): number | undefined {
  const { oceanIndex, txIndex, blockFilterIndex } = indexes;
  const target = settings.int('prune');
  if (target !== 0 && oceanIndex) throw new ConfigError('Prune mode is incompatible with -oceanarchive.');
  if (target !== 0 && txIndex) throw new ConfigError('Prune mode is incompatible with -txindex.');
  if (target !== 0 && blockFilterIndex) throw new ConfigError('Prune mode is incompatible with -blockfilterindex.');
  if (target < 0) throw new ConfigError('Prune cannot be configured with a negative value.');
  if (target > 1 && target < SMALLEST_PRUNE_MIB) {
    throw new ConfigError(`Prune configured below the minimum of ${SMALLEST_PRUNE_MIB} MiB.  Please use a higher number.`);
  }
  if (target === 0) return undefined;
  return target === 1 ? 0 : target * MIB;
}

function minimumChainWork(settings: Settings): string | undefined {
  if (!settings.isSet('minimumchainwork')) return undefined;
  const text = settings.text('minimumchainwork');
  const digits = /^(?:0x)?([0-9a-fA-F]+)$/.exec(text)?.[1];
  if (digits === undefined) throw new ConfigError(`Invalid non-hex (${text}) minimum chain work value specified`);
  return digits.toLowerCase();
}

/** Operator of the first genesis masternode of regtest, which mints the blocks of -dev unless options name others. */
const DEVELOPMENT_OPERATOR = 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy';

/** Options of minting. @throws {ConfigError} for a malformed fee rate */
export function mintingConfig({ settings, network }: Pick<Sources, 'settings' | 'network'>): MintingConfig {
  // The old switch overrides the number, as in defid.
  const ordering = settings.bool('blocktimeordering') ? 2 : settings.int('txordering');
  return {
    enabled: settings.bool('gen'),
    operators: network.isDev && !settings.isSet('masternode_operator') ? [DEVELOPMENT_OPERATOR] : settings.list('masternode_operator'),
    rewardAddress: settings.text('rewardaddress') || undefined,
    ordering: ordering === 0 || ordering === 2 ? ordering : 1,
    maxBlockWeight: settings.int('blockmaxweight'),
    minFeeRate: feeRate(settings, 'blockmintxfee'),
    blockVersion: settings.isSet('blockversion') ? settings.int('blockversion') : undefined,
    logsFeeRates: settings.bool('printpriority'),
  };
}

/** Options of the mempool. @throws {ConfigError} with the text of `defid` for a wrong size or fee rate */
export function mempoolConfig({ settings, network }: Pick<Sources, 'settings' | 'network'>): MempoolConfig {
  const maxBytes = settings.int('maxmempool') * 1_000_000;
  const smallest = settings.int('limitdescendantsize') * 1000 * SMALLEST_MEMPOOL_FACTOR;
  if (maxBytes < 0 || maxBytes < smallest) throw new ConfigError(`-maxmempool must be at least ${Math.ceil(smallest / 1_000_000)} MB`);
  const incremental = feeRate(settings, 'incrementalrelayfee');
  const minRelay = feeRate(settings, 'minrelaytxfee');
  const lenient = network.name !== 'main' && network.name !== 'regtest';
  const acceptNonStandard = settings.isSet('acceptnonstdtxn') ? settings.bool('acceptnonstdtxn') : lenient;
  if (acceptNonStandard && network.name === 'main') throw new ConfigError('acceptnonstdtxn is not currently supported for main chain');
  return {
    // With -zapwallettxes, transactions that were removed from the wallet must not return from the saved mempool.
    persist: settings.isSet('persistmempool') || forgets(settings) === undefined ? settings.bool('persistmempool') : false,
    maxBytes,
    expirySec: settings.int('mempoolexpiry') * 3600,
    evmExpirySec: settings.int('mempoolexpiryevm') * 3600,
    // A minimum below the incremental relay fee would let a replacement pay less than its relay costs.
    minRelayFeeRate: !settings.isSet('minrelaytxfee') && incremental > minRelay ? incremental : minRelay,
    incrementalRelayFeeRate: incremental,
    dustRelayFeeRate: feeRate(settings, 'dustrelayfee'),
    acceptNonStandard,
    permitBareMultisig: settings.bool('permitbaremultisig'),
    dataCarrierBytes: settings.bool('datacarrier') ? dataCarrierBytes(settings) : undefined,
    bytesPerSigOp: settings.int('bytespersigop'),
    limits: {
      ancestorCount: settings.int('limitancestorcount'),
      ancestorBytes: settings.int('limitancestorsize') * 1000,
      descendantCount: settings.int('limitdescendantcount'),
      descendantBytes: settings.int('limitdescendantsize') * 1000,
    },
    signatureCacheBytes: Math.min(Math.max(settings.int('maxsigcachesize'), 0), MAX_SIGNATURE_CACHE_MIB) * MIB,
  };
}

/** -datacarriersize; without it, the defaults of the releases for each era. */
function dataCarrierBytes(settings: Settings): MempoolConfig['dataCarrierBytes'] {
  if (!settings.isSet('datacarriersize')) return { beforeMetachain: 4_000, sinceMetachain: 65_536 };
  const bytes = settings.int('datacarriersize');
  return { beforeMetachain: bytes, sinceMetachain: bytes };
}

/** @returns satoshis per kB */
function feeRate(settings: Settings, key: KeyOf<'amount'>): bigint {
  const text = settings.amountText(key);
  const rate = parseMoney(text);
  if (rate === undefined) throw new ConfigError(`Invalid amount for -${key}=<amount>: '${text}'`);
  return rate;
}
