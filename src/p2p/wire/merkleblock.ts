/** A header and the proof of its transactions that match a filter (BIP37). */
export { merkleBlock as merkleblock } from '../../primitives/partial-merkle.js';
