/** The network's upgrades in the order in which they came; each has a height per network. */
export const UPGRADES = [
  'amk',
  'bayfront',
  'bayfrontMarina',
  'bayfrontGardens',
  'clarkeQuay',
  'dakota',
  'dakotaCrescent',
  'eunos',
  'eunosKampung',
  'eunosPaya',
  'fortCanning',
  'fortCanningMuseum',
  'fortCanningPark',
  'fortCanningHill',
  'fortCanningRoad',
  'fortCanningCrunch',
  'fortCanningSpring',
  'fortCanningGreatWorld',
  'fortCanningEpilogue',
  'grandCentral',
  'grandCentralEpilogue',
  'metachain',
  'df23',
  'df24',
] as const;

export type Upgrade = (typeof UPGRADES)[number];

/** Height that switches an upgrade off for ever. */
export const NEVER = 0x7fffffff;
