/** State of a node that health checks depend on. */
export interface NodeHealth {
  /** Status of the start-up, during which calls are rejected; undefined afterwards. */
  readonly warmup: string | undefined;
  /** The best chain is as high as the best header that has its block or two peers behind it; in initial block download, as any header. */
  readonly synced: boolean;
  /** The peer-to-peer network is in use. */
  readonly p2p: boolean;
  /** Number of peers that sent a message in the last 300 s. */
  readonly activePeers: number;
  /** Number of peers that the node needs to be ready; 0 if it may run alone. */
  readonly neededPeers: number;
  /** Block processing is halted because the disk is full. */
  readonly diskFull: boolean;
  /** Reason why block processing is halted, if it is not a full disk; undefined if it is not halted. */
  readonly halted: string | undefined;
  /** Description of a damaged stored block; undefined if none was found. Block processing continues. */
  readonly damage: string | undefined;
  readonly stopping: boolean;
}

/** Result of a health check. */
export interface Probe {
  readonly ok: boolean;
  /** One line per check, each ending with a line feed. */
  readonly report: string;
}

/** Number of peers that `defid` requires for `/readyz`. */
const DEFID_PEERS = 5;

interface Check {
  readonly ok: boolean;
  readonly name: string;
  readonly fault: string;
}

/** `/livez` of the RPC port. @see docs/protocol/rpc-chain.md 1.16 */
export function defidLivez(health: NodeHealth): Probe {
  return probe([startup(health)], 'livez check');
}

/** `/readyz` of the RPC port, with the texts and spelling of `defid`. @see docs/protocol/rpc-chain.md 1.16 */
export function defidReadyz(health: NodeHealth): Probe {
  const p2p = health.p2p ? 'insufficent active peers' : 'p2p functionality missing or disabled';
  return probe(
    [startup(health), sync(health), { ok: health.p2p && health.activePeers >= DEFID_PEERS, name: 'p2p check', fault: p2p }],
    'healthz check',
  );
}

/** `/livez` of the metrics port: always ok. It does not depend on peers or sync, or a slow network would lead to restarts. */
export function livez(): Probe {
  return probe([], 'livez check');
}

/** `/startupz` of the metrics port: ok once calls are answered. */
export function startupz(health: NodeHealth): Probe {
  return probe([startup(health)], 'startupz check');
}

/** `/readyz` of the metrics port: started, synced, with the needed peers, able to store blocks, and not shutting down. */
export function readyz(health: NodeHealth): Probe {
  return probe(
    [
      startup(health),
      sync(health),
      { ok: health.activePeers >= health.neededPeers, name: 'p2p check', fault: `${health.activePeers} of ${health.neededPeers} peers` },
      { ok: health.damage === undefined, name: 'stored blocks', fault: oneLine(health.damage) },
      { ok: !health.diskFull, name: 'disk', fault: 'disk full' },
      { ok: health.halted === undefined, name: 'block processing', fault: oneLine(health.halted) },
      { ok: !health.stopping, name: 'shutdown', fault: 'shutting down' },
    ],
    'readyz check',
  );
}

function oneLine(text = ''): string {
  return text.replace(/\s+/g, ' ');
}

function startup({ warmup }: NodeHealth): Check {
  return { ok: warmup === undefined, name: 'startup', fault: 'rpc in warm up' };
}

function sync({ synced }: NodeHealth): Check {
  return { ok: synced, name: 'sync to tip', fault: 'chain height less than header height' };
}

function probe(checks: readonly Check[], title: string): Probe {
  const ok = checks.every((check) => check.ok);
  const lines = checks.map((check) => (check.ok ? `${check.name}: ok\n` : `${check.name} failed: ${check.fault}\n`));
  return { ok, report: `${lines.join('')}${title} ${ok ? 'passed' : 'failed'}\n` };
}
