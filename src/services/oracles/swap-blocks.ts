import type {
  GetDusdSwapBlockRequest,
  GetDusdSwapBlockResponse,
  GetFutureSwapBlockRequest,
  GetFutureSwapBlockResponse,
} from '../../../gen/ts/dfi/oracles/v1/oracles.js';
import { storedAttributes, valueAs } from '../../dfi/attributes/attributes.js';
import { attributeAt } from '../../dfi/attributes/path.js';
import type { Handler } from '../../rpc/handler.js';
import type { OraclesModules } from './modules.js';

/** Height of the next settlement after the tip; 0 if there is none. @see docs/protocol/oracles-governance.md 2.4 */
function nextSettlement({ chain }: OraclesModules, group: 'dfip2203' | 'dfip2206f'): number {
  const source = storedAttributes(chain.state);
  const amount = (name: string) => valueAs(source, attributeAt(`v0/params/${group}/${name}`), 'amount');
  const isActive = valueAs(source, attributeAt(`v0/params/${group}/active`), 'bool') ?? false;
  const period = Number(amount('block_period') ?? 0n);
  if (!isActive || period === 0 || amount('reward_pct') === undefined) return 0;
  const start = Number(amount('start_block') ?? 0n);
  const { height } = chain.tip;
  return height < start ? start + period : height + (period - ((height - start) % period));
}

export const getFutureSwapBlock: Handler<OraclesModules, GetFutureSwapBlockRequest, GetFutureSwapBlockResponse> = (modules) => ({
  height: nextSettlement(modules, 'dfip2203'),
});

export const getDusdSwapBlock: Handler<OraclesModules, GetDusdSwapBlockRequest, GetDusdSwapBlockResponse> = (modules) => ({
  height: nextSettlement(modules, 'dfip2206f'),
});
