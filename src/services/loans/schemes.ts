import type {
  GetLoanSchemeRequest,
  GetLoanSchemeResponse,
  ListLoanSchemesRequest,
  ListLoanSchemesResponse,
  LoanScheme as ShownScheme,
} from '../../../gen/ts/dfi/node/v1/loans.js';
import { byteText, readableText } from '../../dfi/kernel/text.js';
import { defaultScheme, type LoanScheme, loanSchemes, getLoanScheme as schemeOf } from '../../dfi/loans/scheme-columns.js';
import { rawJson } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import { invalidParameter } from '../../util/errors.js';
import type { LoansModules } from './modules.js';

type Modules = Pick<LoansModules, 'chain'>;

export const listLoanSchemes: Handler<Modules, ListLoanSchemesRequest, ListLoanSchemesResponse> = ({ chain: { state } }) => {
  const schemes = [...state.entries(loanSchemes)].sort(([, a], [, b]) => a.ratio - b.ratio || Number(a.rate - b.rate));
  return { schemes: schemes.map(([id, scheme]) => formatScheme(state, id, scheme)) };
};

export const getLoanScheme: Handler<Modules, GetLoanSchemeRequest, GetLoanSchemeResponse> = ({ chain: { state } }, request) => {
  if (rawJson(request, 'id') === null) throw invalidParameter('Invalid parameter id, argument must be non-null');
  const { id } = request;
  return { scheme: formatScheme(state, byteText(id), requireLoanScheme(state, id)) };
};

const MAX_ID_BYTES = 8;

/** Loan scheme with this id. @throws {NodeError} `invalid-parameter` */
export function requireLoanScheme(view: StateView, id: string): LoanScheme {
  const bytes = byteText(id);
  if (bytes === '' || bytes.length > MAX_ID_BYTES) throw invalidParameter('id cannot be empty or more than 8 chars long');
  const scheme = schemeOf(view, bytes);
  if (!scheme) throw invalidParameter(`Cannot find existing loan scheme with id ${id}`);
  return scheme;
}

function formatScheme(view: StateView, id: string, { ratio, rate }: LoanScheme): ShownScheme {
  return { id: readableText(id), mincolratio: ratio, interestrate: rate, default: defaultScheme(view) === id };
}
