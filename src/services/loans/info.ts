import type { GetLoanInfoRequest, GetLoanInfoResponse, LoanTotals } from '../../../gen/ts/dfi/node/v1/loans.js';
import { auctions } from '../../dfi/auctions/columns.js';
import type { ReadContext } from '../../dfi/kernel/block-context.js';
import { readableText } from '../../dfi/kernel/text.js';
import { countLoanTokens } from '../../dfi/loan-tokens/columns.js';
import { defaultScheme, loanSchemes } from '../../dfi/loans/scheme-columns.js';
import { ACTIVE_PRICE, priceDeviation, priceInterval } from '../../dfi/oracles/fixed-prices.js';
import { listVaults } from '../../dfi/vaults/columns.js';
import { NULL_HASH } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { Slicer } from '../../util/slicer.js';
import { formatSigned32 } from '../format/numbers.js';
import { assetsIfAny } from '../vaults/state.js';
import type { LoansModules } from './modules.js';

type Modules = Pick<LoansModules, 'chain'>;

export const getLoanInfo: Handler<Modules, GetLoanInfoRequest, GetLoanInfoResponse> = async ({ chain }, _request, call) => {
  const { params, tip } = chain;
  const snapshot = chain.snapshot();
  try {
    const interval = priceInterval(snapshot, params);
    const currentPriceBlock = tip.height - (tip.height % interval);
    return {
      currentpriceblock: currentPriceBlock,
      nextpriceblock: formatSigned32(currentPriceBlock + interval),
      defaults: {
        scheme: readableText(defaultScheme(snapshot) ?? ''),
        maxpricedeviationpct: priceDeviation(snapshot) * 100n,
        minoraclesperprice: params.isRegtest ? 1 : 2,
        fixedintervalblocks: formatSigned32(interval),
      },
      totals: await sumUp({ view: snapshot, height: tip.height + 1, params }, new Slicer(call)),
    };
  } finally {
    snapshot.close();
  }
};

async function sumUp(context: ReadContext, slicer: Slicer): Promise<LoanTotals> {
  const { view, height } = context;
  const counts = countLoanTokens(view);
  let openVaults = 0;
  let collateralValue = 0n;
  let loanValue = 0n;
  for (const [vaultId] of listVaults(view)) {
    const paused = slicer.pause();
    if (paused) await paused;
    openVaults += 1;
    const assets = assetsIfAny(context, vaultId, ACTIVE_PRICE);
    collateralValue = BigInt.asUintN(64, collateralValue + (assets?.totalCollaterals ?? 0n));
    loanValue = BigInt.asUintN(64, loanValue + (assets?.totalLoans ?? 0n));
  }
  let openAuctions = 0;
  for (const [, { batchCount }] of view.entries(auctions, { from: { height, vaultId: NULL_HASH } })) {
    openAuctions += batchCount;
    const paused = slicer.pause();
    if (paused) await paused;
  }
  return {
    schemes: [...view.entries(loanSchemes)].length,
    collateraltokens: counts.collaterals,
    collateralvalue: collateralValue,
    loantokens: counts.loans,
    loanvalue: loanValue,
    openvaults: openVaults,
    openauctions: openAuctions,
  };
}
