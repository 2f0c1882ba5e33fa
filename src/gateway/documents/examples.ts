import type { Schema } from './schema.js';

/** Genesis block of main. */
const BLOCK_HASH = '279b1a87aedc7b9471d4ad4e5f12967ab6259926cd097ade188dfcf22ebfe72a';
/** First masternode of main, whose id is that of a transaction. */
const TXID = 'ec6d7185414fecccf2bc3aa58d668b6548ad6c48daa1ad6d33cea178a7a1f233';
const ADDRESS = 'df1qqypqxpq9qcrsszg2pvxq6rs0zqg3yyc5puqmww';

/** Samples of request values by the name of the field. */
const EXAMPLES: Readonly<Record<string, string | number>> = {
  address: ADDRESS,
  amount: '1.5',
  amounts: '1.5@DFI',
  block: BLOCK_HASH,
  blockhash: BLOCK_HASH,
  blockheight: 100,
  conf_target: 6,
  count: 10,
  currency: 'USD',
  feedid: TXID,
  fixedintervalpriceid: 'BTC/USD',
  hash: BLOCK_HASH,
  height: 100,
  id: 'C150',
  key: 'DFI',
  label: 'savings',
  limit: 100,
  loanSchemeId: 'C150',
  mn_id: TXID,
  nblocks: 10,
  offertx: TXID,
  oracleid: TXID,
  ordertx: TXID,
  owner: ADDRESS,
  ownerAddress: ADDRESS,
  passphrase: 'correct horse battery staple',
  proposalId: TXID,
  proposalid: TXID,
  to_address: ADDRESS,
  token: 'DFI',
  txid: TXID,
  vaultId: TXID,
  vaultid: TXID,
  wallet: '-',
};

/** Sample of the value of a request field, for readers of the API documents; undefined if there is none of the type of the field. */
export function exampleOf(name: string, schema: Schema): string | number | undefined {
  const example = EXAMPLES[name];
  if (example === undefined || 'default' in schema) return undefined;
  const types = [schema.type].flat();
  return types.includes(typeof example) || (typeof example === 'number' && types.includes('integer')) ? example : undefined;
}
