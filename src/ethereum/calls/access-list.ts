import type { AccessListItem } from '../../evm/execute.js';
import { AccessTracer } from '../../evm/tracing/access-tracer.js';
import type { EthereumCall } from '../method.js';
import type { PreparedCall } from './call.js';

/** Slots that a call accesses, and the gas that it uses if they are announced. It may fail. */
export async function findAccessList(
  { site, message, gasPrice }: PreparedCall,
  call: EthereumCall,
): Promise<{ readonly accessList: readonly AccessListItem[]; readonly gasUsed: bigint }> {
  const tracer = new AccessTracer();
  await site.run(message, gasPrice, call, tracer);
  const accessList = tracer.accessList();
  const { usedGas } = await site.run({ ...message, accessList }, gasPrice, call);
  return { accessList, gasUsed: usedGas };
}
