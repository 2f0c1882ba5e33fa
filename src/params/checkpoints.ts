import { type Hash256, parseHash256 } from '../primitives/hash.js';

/** Checkpoint: height, and hash in display order. */
export type CheckpointText = readonly [height: number, hash: string];

export interface Checkpoint {
  readonly height: number;
  readonly hash: Hash256;
}

/** Checkpoints of a table, in its order. @throws {Error} if a hash is malformed */
export function parseCheckpoints(rows: readonly CheckpointText[]): readonly Checkpoint[] {
  return rows.map(([height, hash]) => ({ height, hash: parseHash256(hash) }));
}

/** A 32-bit number as `defid` reads it. */
const HEIGHT = /^[+-]?\d+$/;
const HASH = /^[0-9a-fA-F]{64}$/;

/**
 * Parses a file of checkpoints that replaces the table: a line is height and hash, and what follows is ignored; `#` begins a line of comment.
 * Of several lines with the same height the last one counts.
 * @returns sorted by height
 * @throws {Error} with the text of `defid` for the first line that is neither
 */
export function parseCheckpointFile(text: string): readonly Checkpoint[] {
  const checkpoints = new Map<number, Hash256>();
  for (const line of text.split('\n')) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    const [height = '', hash] = content.split(/\s+/);
    if (hash === undefined) throw new Error(`Error parsing line ${content}`);
    if (!HASH.test(hash)) throw new Error(`Invalid hash: ${hash}`);
    if (!HEIGHT.test(height) || (Number(height) | 0) !== Number(height)) throw new Error(`Invalid height: ${height}`);
    checkpoints.set(Number(height), parseHash256(hash));
  }
  return [...checkpoints].map(([height, hash]) => ({ height, hash })).sort((a, b) => a.height - b.height);
}

/** Main network. */
export const MAIN_CHECKPOINTS: readonly CheckpointText[] = [
  [0, '279b1a87aedc7b9471d4ad4e5f12967ab6259926cd097ade188dfcf22ebfe72a'],
  [50000, 'a45e6bf6ae858a287eb39021ea23880b4115c94e882e2b7c0fcfc98c317922cd'],
  [100000, '3acd556dbd5e6e75bf463a15eeeeb54b6eab4a1f28039bdc343cc8c851cce45c'],
  [150000, '46b231d42e5b002852708d48dec119bbc2d550fb67908f1e9f35102c1b45b94d'],
  [200000, '414076e74894aaed3e1b52d64937f23289d59fe80e287c328a1281398bf9cb31'],
  [250000, 'd50a44503fa55cd01a78b98dea125e63b65aac720c96cca696857722e8149d77'],
  [300000, '351c82cb8f77fba73e24223a9dd50954630560602c3a38f4d1c03dfa5cf1fd10'],
  [350000, 'ebc8737cb2caa77397f446e9a5aff72a2ca9e8305a6a6f8eb4b6c22f389bef08'],
  [400000, '97c1014a66c9f327e04a59b3e1b4f551122d0698b6b1a98ec99555fffb474e9d'],
  [450000, '03701a440b02d61b875ba2503bb53f1f1360cf66b4f0cf472e660a6809534379'],
  [500000, '6a5b285bc68362deb66148069f55f82c02974056e73f5cc96971f7661ecd5880'],
  [550000, '3f9aab70727d3cc76a3d406f520a71ccc6095aeea2d185e489f563320d429d5b'],
  [600000, '79ddf4537e40cb59335a0551e5edc7bd396e6949aa2864c3200ca66f9c455405'],
  [650000, 'f18d64dd75c53590e833d3068132a65644963d5c5aebb4c73d42cbde8dc28d68'],
  [700000, '0d0f779d7f43cc3fd9f01e71e136f7e9319d73791f8839720ab495327075e272'],
  [750000, 'd65c1f983b015ad665b2db9a206e2a7a0e8c51789918ea5bfda2f8121adc6f0f'],
  [800000, '8d9ade23a54f16a0a5a6ce5d14788f93bfd7e703be8a3a07a85c935b47511f95'],
  [850000, '2d7d58ae18a74f73b9836a8fffd3f65ce409536e654a6c644ce735215238a004'],
  [900000, '02818c71fe7d8bcba7c778a73832a7e7b6603a8537bf61915ace497d2b0dec40'],
  [1000000, '253d7137cfcda8d63e5f352ce1162c51a263dba6f9cad7a52f93308c91f04301'],
  [1100000, '96d30c51e1617a12454a9ffa68a0e5746377063bdf09d1bf80bc5053ef8a392b'],
  [1200000, '0859876a88c08242c77a1deea7d01757e3c6c1b3155e73bff60e28c8f6e65911'],
  [1300000, 'be6dc303c212243899478b8908c1f7c54217bb735655cdef8d85ae2c3c548229'],
  [1400000, 'a222eb0930af41d1d5a6f367a9532ee319630fd72d72055fde5da6b57feabbc1'],
  [1500000, 'c35a8a2fa6d076208dbb47e37b46b9da2da778bc06e2f224d5d5f370b8d71485'],
  [1600000, '213c49a84a8c01b412e13169ac0c1e070b828a73fa50b02e7ac18520155cb98a'],
  [1700000, '724af81603f524a0b54dea8348d8275e329b80e028982a706608099d68d01c9d'],
  [1800000, '324cafa596501d4dda404727fc466eb493e072b669e00b007508fc1f69443991'],
  [1900000, '65843174fc86bf26d65d3e10290c3e5f64fc946617ed0c9a391ecb17f55ecad5'],
  [2000000, '85b935cbac0cfc668033788a6103fd8f72894d34770a95ff72230d69bfa0aea1'],
  [2100000, '87a29a768d79f40ea79dda558033fb97049f6984d2d60dba481f01944303cd45'],
  [2200000, '349416f5fcfb72e740fca63e56dec9ba05b5cc7e836859e7bcbb5be6dfb13588'],
  [2300000, '19d753f1834a282c72daaa2a98841ae84f7f7a97ae78b355b1dd550a813a13fd'],
  [2400000, '7ffa9f56e9a14002a4fbe8c7f6e0b1a5ce0f75def6124f5907ee2a6c328c9619'],
  [2500000, 'cf1df1124af59b9928fac48947883206dd33d165022086bee9d5001d047395da'],
  [2600000, 'af065074bb15c3583abcd3e7c22035a026cfd8d3fbc72d890fcd8b435cd8b7b4'],
  [2700000, '3cf74bcaea19d457c7d8e7896177035e3e446f41ee2ac72dbfb25ac2072f49c5'],
  [2800000, 'e4a4b8961e5bc591892937f95a45b41ea35b653a4f98309973b86c95a3b38036'],
  [2900000, '58b47020bbf8db5c7b4c5a9aa187288b0de404c794d33917bcba7d311680edc6'],
  [3000000, '3fdfc99b955b6e994425d9702d529fd7a2db89805bc40f1e8d083f691ede20d7'],
  [3100000, '5f77e698c51b65e606518c644b9b218005962877b3476cbe5f40fe5dc7b93663'],
  [3200000, '574cea827d87c657396cb5142066e9e8ca83ab153e5350bf9c18328c0d456910'],
  [3300000, '399a3617dbcf8cfe6bc4ef6cac961d617120a42db95180961db549b867ded8e7'],
  [3400000, '83b2c5860f25cf411b722e5d127c0855dc7a514a1eed28279aab2a77f1ba0028'],
  [3500000, 'bf4c732e9a55d13f9a5d4b3c3a224232079251ea983c6c6c2a5fa5d5e91f12e9'],
  [3600000, 'cd7fb7dd41b2f77a6895133d15b81a4294663963512d756c75e6974e09a1e335'],
  [3700000, 'e579ea61173bce909b2bf13f2ede98c1025cef51350209953f235209a73bad01'],
  [3800000, '8930b8a43a6413dc8739bec47123b0bb556f6ce2dac3583acefa533b966cb719'],
  [3900000, '1118ddefb8b3c550421ccd71bf13794f0969f2f72f6ab72e0bf411e21a7bce96'],
  [4000000, 'bc04577f86b72eb5fb4db79fb19a1f019afa6378ce6ef7e6401d3e14f55d6cb4'],
  [4100000, '5a173418adc9a1aa5bab4370871b2526771ec81ea445e963971bfafe88cba4b5'],
];

/** Test network. */
export const TEST_CHECKPOINTS: readonly CheckpointText[] = [
  [50000, '74a468206b59bfc2667aba1522471ca2f0a4b7cd807520c47355b040c7735ccc'],
  [100000, '9896ac2c34c20771742bccda4f00f458229819947e02204022c8ff26093ac81f'],
  [150000, 'af9307f438f5c378d1a49cfd3872173a07ed4362d56155e457daffd1061742d4'],
  [300000, '205b522772ce34206a08a635c800f99d2fc4e9696ab8c470dad7f5fa51dfea1a'],
  [1100000, '6fdfc12c273135a992a05f8eb9ec4a0f5db972c3f1d8941d1af336f99cf71f5b'],
];

/** Changi and devnet. */
export const FORKED_TEST_CHECKPOINTS: readonly CheckpointText[] = [
  [50000, '74a468206b59bfc2667aba1522471ca2f0a4b7cd807520c47355b040c7735ccc'],
  [100000, '9896ac2c34c20771742bccda4f00f458229819947e02204022c8ff26093ac81f'],
  [150000, 'af9307f438f5c378d1a49cfd3872173a07ed4362d56155e457daffd1061742d4'],
  [300000, '205b522772ce34206a08a635c800f99d2fc4e9696ab8c470dad7f5fa51dfea1a'],
  [1445000, '6fd0cafbbd2262d5cecd2e07e73fe6703bac364e5d4986da3fe512b0eccf944d'],
];
