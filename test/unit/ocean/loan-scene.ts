import type { OceanModules } from '../../../src/ocean/modules.js';
import { networkParams } from '../../../src/params/index.js';
import { parseHash256 } from '../../../src/primitives/hash.js';
import type { FakeOperations } from './ask.js';

/** Display digits of a txid that repeat two digits. */
export function digits(pair: string): string {
  return pair.repeat(32);
}

/** Token as `listtokens` shows it. @param more other members than those of a DAT */
function token(symbol: string, name: string, creation: string, more = ''): string {
  const flags = more === '' ? '"isDAT":true,"isLPS":false,"isLoanToken":false' : more;
  return `{"symbol":"${symbol}","symbolKey":"${symbol}","name":"${name}","decimal":8,"limit":0,"mintable":true,"tradeable":true,${flags},
    "finalized":false,"minted":0.00000000,"creationTx":"${digits(creation)}","creationHeight":103,"destructionTx":"${digits('00')}",
    "destructionHeight":-1,"collateralAddress":""}`;
}

const LOAN_TOKEN = '"isDAT":true,"isLPS":false,"isLoanToken":true';
export const TSLA = token('TSLA', 'Tesla', 'cc', LOAN_TOKEN);
export const GOOGL = token('GOOGL', 'Alphabet', 'bb', LOAN_TOKEN);

/** Tokens and schemes of a world with loans. */
export const loanWorld: FakeOperations = {
  listtokens: `{"0":${token('DFI', 'Default Defi token', '00')},"2":${token('BTC', 'Bitcoin', 'aa')},"4":${TSLA},"5":${GOOGL}}`,
  listloanschemes: `[{"id":"MIN150","mincolratio":150,"interestrate":5.00000000,"default":true},
    {"id":"C200","mincolratio":200,"interestrate":0.50000000,"default":false},
    {"id":"MIN1000","mincolratio":1000,"interestrate":3.25000000,"default":false}]`,
};

/** A regtest chain whose blocks have times and hashes made of their heights. */
export const loanChain = {
  params: networkParams({ network: 'regtest' }),
  tip: { height: 700, hash: parseHash256(digits('77')) },
  entryAt: (height: number) => ({
    height,
    hash: parseHash256(height.toString(16).padStart(64, '0')),
    time: 1_000_000 + height,
    medianTimePast: () => 999_000 + height,
  }),
} as unknown as OceanModules['chain'];
