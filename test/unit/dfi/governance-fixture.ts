import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import type { AttributeValue } from '../../../src/dfi/attributes/value.js';
import { type Masternode, masternodes } from '../../../src/dfi/masternodes/columns.js';
import type { HeightOverrides } from '../../../src/params/upgrade-heights.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import { masternodeOf } from '../../masternode.js';
import { DfiFixture, GRAND_CENTRAL, heights } from './fixture.js';

export const COIN = 100_000_000n;

export function id(n: number): Hash256 {
  return new Uint8Array(32).fill(n);
}

/** Masternode n, whose owner key is n + 10. */
export function node(n: number, mintedBlocks = 1): Masternode {
  const key = new Uint8Array(20).fill(n + 10);
  return masternodeOf({ mintedBlocks, ownerKey: key, ownerType: 4, operatorKey: key, operatorType: 4, creationHeight: 0, version: 0 });
}

export function set(fixture: DfiFixture, path: string, value: AttributeValue): void {
  fixture.view.put(attributes, attributeAt(`v0/${path}`), value);
}

/** State with governance enabled and the masternodes 1 to `count`, all of which have minted. */
export function governed(given: HeightOverrides = GRAND_CENTRAL, count = 4): DfiFixture {
  const fixture = new DfiFixture(heights(given));
  set(fixture, 'params/feature/gov', { kind: 'bool', value: true });
  for (let n = 1; n <= count; n++) fixture.view.put(masternodes, id(n), node(n));
  return fixture;
}
