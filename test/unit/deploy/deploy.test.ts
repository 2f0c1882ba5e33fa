import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { parseConf } from '../../../src/config/conf-file.js';
import { variableOf } from '../../../src/config/environment.js';
import { EXIT } from '../../../src/config/exit-code.js';
import { type LoadedConfig, loadConfig } from '../../../src/config/load.js';
import { NETWORKS, networkBase } from '../../../src/config/networks.js';
import { baseKey } from '../../../src/config/occurrences.js';
import { CLIENT_OPTIONS, OPTIONS } from '../../../src/config/options.js';
import { observeAnswers } from '../../../src/metrics/answers.js';
import { observeChain } from '../../../src/metrics/chain.js';
import { observeSinks } from '../../../src/metrics/event-sinks.js';
import { observeHotStore } from '../../../src/metrics/hot-store.js';
import { observeIndexes } from '../../../src/metrics/indexes.js';
import { observeKnownRewards } from '../../../src/metrics/known-rewards.js';
import { observeMempool } from '../../../src/metrics/mempool.js';
import { observePeers } from '../../../src/metrics/peers.js';
import { createRegistry } from '../../../src/metrics/registry.js';
import { rpcMetrics } from '../../../src/metrics/rpc.js';

const root = join(import.meta.dirname, '../../..');
const deploy = join(root, 'deploy');
const read = (...path: string[]) => readFileSync(join(deploy, ...path), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'dfi-deploy-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly secrets?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<'node' | 'gateway' | 'prometheus' | 'grafana', Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } }>>;
}

const compose = parse(read('compose.yaml'), { merge: true }) as Compose;

/** The configuration that a service of the compose file starts with. @param shell variables for `${NAME:-default}` */
function configOf(service: Service, shell: Readonly<Record<string, string>> = {}): LoadedConfig {
  writeFileSync(join(scratch, 'rpc-password'), 'secret\n');
  const env = Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+):-(.*?)\}/g, (_, name: string, usual: string) => shell[name] ?? usual).replace('/run/secrets', scratch),
    ]),
  );
  const loaded = loadConfig({ argv: [], env: { DFI_DATADIR: scratch, ...env } });
  assert.equal(loaded.action, 'run');
  return loaded as LoadedConfig;
}

test('every file of the folder is checked here', () => {
  const files = readdirSync(deploy, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.deepEqual(
    files
      .map(({ name }) => name)
      .filter((name) => name !== 'rpc-password.txt')
      .sort(),
    [
      'Dockerfile',
      'README.md',
      'alerts.yml',
      'compose.yaml',
      'defi.conf',
      'dfi.yaml',
      'dfid.service',
      'node.json',
      'prometheus.yml',
      'prometheus.yaml',
    ].sort(),
  );
});

test('compose: every DFI_ variable is an option', () => {
  const known = new Set(OPTIONS.flatMap(({ key }) => [variableOf(key), `${variableOf(key)}_FILE`]));
  for (const [name, service] of Object.entries(compose.services)) {
    const variables = Object.keys(service.environment ?? {}).filter((variable) => variable.startsWith('DFI_'));
    assert.deepEqual(
      variables.filter((variable) => !known.has(variable)),
      [],
      name,
    );
  }
});

test('compose: the gateway connects to the node', () => {
  const node = configOf(compose.services.node).config;
  const gateway = configOf(compose.services.gateway).config;
  assert.equal(node.mode, 'node');
  assert.equal(gateway.mode, 'gateway');
  assert.equal(gateway.gateway.upstream, `node:${node.grpc?.port}`);
  assert.deepEqual([node.grpc?.bind, node.grpc?.tls, gateway.gateway.tls], [['0.0.0.0'], undefined, undefined]);
  assert.deepEqual([node.rpc.user, node.rpc.password], ['dfi', 'secret']);
  assert.deepEqual(compose.services.gateway.ports, [`127.0.0.1:${gateway.rpc.port}:${gateway.rpc.port}`]);
  assert.deepEqual([gateway.rpc.bind, gateway.rpc.allowIp], [['0.0.0.0'], ['0.0.0.0/0']]);
});

for (const { name, flag } of NETWORKS) {
  test(`compose: ${name} can be chosen for node and gateway, and keeps the ports`, () => {
    const shell = flag ? { [variableOf(flag)]: '1' } : {};
    const [node, gateway] = [configOf(compose.services.node, shell).config, configOf(compose.services.gateway, shell).config];
    assert.deepEqual([node.network.network, node.rpc.port, node.grpc?.port, node.metrics?.port], [name, 8554, 8550, 8552]);
    assert.deepEqual([gateway.network.network, gateway.rpc.port, gateway.metrics?.port], [name, 8554, 8552]);
  });
}

test('compose: Prometheus is allowed to scrape the metrics ports, and does', () => {
  const prometheus = parse(read('prometheus.yml')) as {
    readonly rule_files: readonly string[];
    readonly scrape_configs: readonly {
      readonly job_name: string;
      readonly static_configs: readonly { readonly targets: readonly string[] }[];
    }[];
  };
  const targets = prometheus.scrape_configs.flatMap((job) => job.static_configs.flatMap(({ targets: hosts }) => hosts));
  const subnet = compose.networks.inside?.ipam.config[0]?.subnet;
  const expected = (['node', 'gateway'] as const).map((name) => {
    const { metrics } = configOf(compose.services[name]).config;
    assert.deepEqual([metrics?.bind, metrics?.allowIp, metrics?.allowHosts], [['0.0.0.0'], [subnet], [name]]);
    return `${name}:${metrics?.port}`;
  });
  assert.deepEqual(targets, expected);
  assert.deepEqual(prometheus.rule_files, ['alerts.yml']);
  const jobs = new Set(prometheus.scrape_configs.map(({ job_name }) => job_name));
  const named = [...read('alerts.yml').matchAll(/job="([^"]+)"/g)].map(([, job]) => job ?? '');
  assert.deepEqual(
    named.filter((job) => !jobs.has(job)),
    [],
  );
});

test('compose: mounted files exist, and are mounted where they are read', () => {
  for (const { volumes = [] } of Object.values(compose.services)) {
    for (const volume of volumes) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('.')) assert.ok(existsSync(join(deploy, source)), volume);
    }
  }
  const dashboards = parse(read('grafana/provisioning/dashboards/dfi.yaml')) as {
    readonly providers: readonly { readonly options: { readonly path: string } }[];
  };
  assert.ok(compose.services.grafana.volumes?.includes(`./grafana/dashboards:${dashboards.providers[0]?.options.path}:ro`));
  const sources = parse(read('grafana/provisioning/datasources/prometheus.yaml')) as {
    readonly datasources: readonly { readonly uid: string; readonly url: string }[];
  };
  assert.deepEqual([sources.datasources[0]?.uid, sources.datasources[0]?.url], ['prometheus', 'http://prometheus:9090']);
  assert.deepEqual(Object.keys(compose.secrets), compose.services.node.secrets);
});

test('compose: health checks use existing programs, ports and paths', () => {
  const [, program, ...args] = compose.services.node.healthcheck?.test ?? [];
  assert.equal(program, 'dfi-cli');
  checkFlags(
    args,
    CLIENT_OPTIONS.map(({ key }) => key),
  );
  const port = configOf(compose.services.gateway).config.metrics?.port;
  assert.match(compose.services.gateway.healthcheck?.test.join(' ') ?? '', new RegExp(`http://127\\.0\\.0\\.1:${port}/livez`));
});

/** Every word that starts with a dash is a known flag. */
function checkFlags(words: readonly string[], keys: readonly string[]): void {
  const flags = words.filter((word) => word.startsWith('-')).map((word) => baseKey(word.replace(/^--?/, '').replace(/=.*/, '')));
  assert.ok(flags.length > 0);
  assert.deepEqual(
    flags.filter((flag) => !keys.includes(flag)),
    [],
  );
}

test('image: copies existing files, exposes the ports of main, runs the programs of the package', () => {
  const text = read('Dockerfile');
  const { ports } = networkBase('main');
  assert.deepEqual(/^EXPOSE (.*)$/m.exec(text)?.[1]?.split(' ').map(Number), [ports.grpc, ports.metrics, ports.rpc, ports.p2p]);
  for (const [, sources = ''] of text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)) {
    for (const source of sources.split(' ')) assert.ok(existsSync(join(root, source)), source);
  }
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  for (const [, sources = ''] of text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)) {
    for (const source of sources.split(' ')) assert.ok(ignored.includes(`!${source}`), `.dockerignore keeps ${source} out`);
  }
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly bin: Readonly<Record<string, string>> };
  for (const [name, file] of Object.entries(bin)) assert.ok(text.includes(`ln -s /app/${file} /usr/local/bin/${name}`), name);
  assert.match(text, /^USER \d+:\d+$/m);
  assert.match(text, /^STOPSIGNAL SIGTERM$/m);
  assert.ok(text.includes(`${variableOf('datadir')}=/data`) && text.includes('VOLUME /data'));
  const health = /HEALTHCHECK .*CMD (\[.*\])/.exec(text)?.[1] ?? '[]';
  checkFlags(
    (JSON.parse(health) as string[]).slice(1),
    CLIENT_OPTIONS.map(({ key }) => key),
  );
});

test('systemd: known sections, flags and exit codes', () => {
  const unit = new Map<string, string[]>();
  let section = '';
  for (const line of read('dfid.service').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const heading = /^\[(\w+)\]$/.exec(line)?.[1];
    if (heading) section = heading;
    else {
      const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? assert.fail(`no setting: ${line}`);
      unit.set(`${section}.${key}`, [...(unit.get(`${section}.${key}`) ?? []), value]);
    }
  }
  for (const key of ['ExecStart', 'ExecStartPre'])
    checkFlags(
      (unit.get(`Service.${key}`) ?? []).join(' ').split(' '),
      OPTIONS.map((o) => o.key),
    );
  assert.deepEqual(unit.get('Service.Type'), ['exec']);
  assert.deepEqual(unit.get('Service.LimitNOFILE'), ['65536']);
  assert.deepEqual(unit.get('Service.MemoryDenyWriteExecute'), ['no']);
  const lasting = [EXIT.failed, EXIT.newerData, EXIT.damagedData, EXIT.foreignData];
  assert.deepEqual(unit.get('Service.RestartPreventExitStatus'), [lasting.join(' ')]);
  // A disk that stays full must not end the attempts to start.
  assert.deepEqual([unit.get('Service.Restart'), unit.get('Unit.StartLimitIntervalSec')], [['on-failure'], ['0']]);
});

test('sample configuration: known names, default ports, loads on each network, also with the commented lines', () => {
  const text = read('defi.conf');
  const keys = new Set(OPTIONS.map(({ key }) => key));
  const uncommented = text.replace(/^#(?=\w+=)/gm, '');
  assert.deepEqual(
    parseConf(uncommented)
      .lines.map(({ key }) => baseKey(key))
      .filter((key) => !keys.has(key)),
    [],
  );
  writeFileSync(join(scratch, 'defi.conf'), text);
  for (const { name, flag, ports } of NETWORKS.filter((network) => ['main', 'test', 'regtest'].includes(network.name))) {
    const loaded = loadConfig({ argv: [`-datadir=${scratch}`, ...(flag ? [`-${flag}`] : [])], env: {} });
    assert.ok(loaded.action === 'run' && loaded.warnings.length === 0);
    const { rpc, grpc, metrics } = loaded.config;
    assert.deepEqual([rpc.port, grpc?.port, metrics?.port], [ports.rpc, ports.grpc, ports.metrics], name);
  }
  writeFileSync(join(scratch, 'defi.conf'), uncommented.replace(/^(testnet|regtest)=1$/gm, ''));
  const loaded = loadConfig({ argv: [`-datadir=${scratch}`], env: {} });
  assert.ok(loaded.action === 'run' && loaded.config.grpc?.tls?.certFile === '/etc/defi/grpc.crt');
  assert.deepEqual([loaded.config.ethereum.http, loaded.config.ethereum.webSocket], [undefined, undefined]);
  rmSync(join(scratch, 'defi.conf'));
});

/** Metric names of a query, each with its labels. */
function metricsIn(query: string): { readonly name: string; readonly labels: readonly string[] }[] {
  return [...query.matchAll(/\b(dfi_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label ?? ''),
  }));
}

test('dashboards and alerts: every metric exists with the labels that are queried', () => {
  const registry = createRegistry({ version: 'x', nativeEcdsa: true });
  const tip = { height: 0, time: 0 };
  observeChain(registry, {
    tip,
    bestHeader: tip,
    blockCache: { hits: 0, misses: 0, bytes: 0 },
    fault: undefined,
    verificationProgress: () => 1,
    on: () => () => {},
  }).stop();
  rpcMetrics(registry, () => 0);
  const cache = { hits: 0, misses: 0, bytes: 0, size: 0 };
  observeAnswers(registry, cache);
  observeHotStore(registry, cache);
  observeSinks(registry, []);
  observeIndexes(registry, new Map());
  observeKnownRewards(registry, cache);
  observeMempool(registry, { pool: { size: 0, memoryUsage: 0, on: () => () => {} }, minimumFeeRate: () => 0n });
  observePeers(registry, {
    count: 0,
    countInbound: () => 0,
    totals: { received: 0, sent: 0 },
    bans: { size: 0 },
    book: { size: 0 },
    timeOffset: () => 0,
  });
  const targetLabels = ['instance', 'job', 'le'];
  const dashboard = JSON.parse(read('grafana/dashboards/node.json')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    readonly templating: { readonly list: readonly { readonly query: string }[] };
  };
  const alerts = parse(read('alerts.yml')) as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  };
  const queries = [
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...dashboard.templating.list.map(({ query }) => query),
    ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ];
  let seen = 0;
  for (const query of queries) {
    for (const { name, labels } of metricsIn(query)) {
      const metric = registry.getSingleMetric(name) ?? registry.getSingleMetric(name.replace(/_(bucket|sum|count)$/, ''));
      assert.ok(metric, `${name} in ${query}`);
      const { labelNames } = metric as unknown as { readonly labelNames: readonly string[] };
      assert.deepEqual(
        labels.filter((label) => !labelNames.includes(label) && !targetLabels.includes(label)),
        [],
        query,
      );
      seen++;
    }
    const grouped = [...query.matchAll(/\b(?:by|on) ?\(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(',').map((label) => label.trim()),
    );
    const offered = metricsIn(query).flatMap(({ name }) => {
      const metric = registry.getSingleMetric(name) ?? registry.getSingleMetric(name.replace(/_(bucket|sum|count)$/, ''));
      return (metric as unknown as { readonly labelNames: readonly string[] }).labelNames;
    });
    assert.deepEqual(
      grouped.filter((label) => !offered.includes(label) && !targetLabels.includes(label)),
      [],
      query,
    );
  }
  assert.ok(seen > 30, `${seen} metrics looked up`);
});

test('alerts: none says that the tip stalls while it changes, as in the first synchronisation', () => {
  const { groups } = parse(read('alerts.yml')) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const stalled = groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === 'DfiTipStalled');
  assert.match(stalled?.expr ?? '', / and changes\(dfi_chain_height\[30m\]\) == 0$/);
});

test('the folder’s README: flags and options exist', () => {
  const text = read('README.md');
  const keys = [...OPTIONS, ...CLIENT_OPTIONS].map(({ key }) => key);
  const flags = [...text.matchAll(/`-(\w[\w-]*)(?:=[^`]*)?`/g)].map(([, flag]) => flag ?? '');
  assert.ok(flags.length > 3);
  assert.deepEqual(
    flags.filter((flag) => !keys.includes(flag)),
    [],
  );
});
