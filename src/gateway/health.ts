/** What probes are decided by; the node tells it. */
export interface NodeHealth {
  /** What the node is busy with before it can answer calls; undefined once it can. */
  readonly warmup: string | undefined;
  /** The best chain is as high as the best header that is backed by its block or by two peers; in initial download, as any header. */
  readonly synced: boolean;
  /** The peer-to-peer network is in use. */
  readonly p2p: boolean;
  /** Peers that sent something in the last 300 s. */
  readonly activePeers: number;
  /** Peers without which the node does not count as serving; 0 where it may stand alone. */
  readonly neededPeers: number;
  /** No more blocks are accepted because the disk is full. */
  readonly diskFull: boolean;
  /** Why block processing is halted other than by a full disk; undefined while it is not. */
  readonly halted: string | undefined;
  /** Stored block that was found damaged, if one was; blocks are processed all the same. */
  readonly damage: string | undefined;
  readonly stopping: boolean;
}

export interface Probe {
  readonly ok: boolean;
  /** One line per check, each ending with a line feed. */
  readonly report: string;
}

/** Peers the reference asks for on its RPC port. */
const REFERENCE_PEERS = 5;

interface Check {
  readonly ok: boolean;
  readonly name: string;
  readonly fault: string;
}

/** `/livez` of the RPC port. docs/protocol/rpc-chain.md 1.16 */
export function referenceLivez(health: NodeHealth): Probe {
  return probe([startup(health)], 'livez check');
}

/** `/readyz` of the RPC port, in the reference's words (its spelling included). docs/protocol/rpc-chain.md 1.16 */
export function referenceReadyz(health: NodeHealth): Probe {
  const p2p = health.p2p ? 'insufficent active peers' : 'p2p functionality missing or disabled';
  return probe(
    [startup(health), sync(health), { ok: health.p2p && health.activePeers >= REFERENCE_PEERS, name: 'p2p check', fault: p2p }],
    'healthz check',
  );
}

/** Alive as long as it can answer at all: never a question of peers or sync, or a restart would be the reply to a slow network. */
export function livez(): Probe {
  return probe([], 'livez check');
}

export function startupz(health: NodeHealth): Probe {
  return probe([startup(health)], 'startupz check');
}

/** Ready to serve: started, at the tip, with peers where they are needed, able to store, and not on its way out. */
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
