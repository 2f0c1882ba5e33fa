import { readState } from '../../chain/read-state.js';
import { withValue } from '../../util/slicer.js';
import { logObjects, rangeOf } from '../log-filter.js';
import { logRequestReader } from '../log-request.js';
import { type EthereumMethod, method } from '../method.js';
import { required } from '../params.js';

/** Methods about logs. @see docs/protocol/evm-engine.md 10.7 */
export const logMethods: readonly EthereumMethod[] = [
  method('eth_getLogs', [required('input', logRequestReader)], ({ chain }, [request], call) => {
    const range = rangeOf(chain.state, request);
    return withValue(
      readState(chain, call, (view) => logObjects(view, range)),
      ({ objects }) => objects,
    );
  }),
];
