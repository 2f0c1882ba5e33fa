import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildPrograms, freePort } from '../daemon.js';
import { contentsOf, writeLevelDb } from '../level-db.js';
import { projectRoot } from '../shared.js';

const directories: string[] = [];
const processes: ReturnType<typeof spawn>[] = [];
before(() => buildPrograms());
after(() => {
  // A failed test leaves its node running, for which the runner would wait.
  for (const child of processes) child.kill('SIGKILL');
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-e2e-'));
  directories.push(directory);
  return directory;
}

interface Run {
  readonly child: ReturnType<typeof spawn>;
  /** Output of the process and its exit code. */
  readonly end: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

function run(program: 'main' | 'cli', args: readonly string[]): Run {
  const child = spawn(process.execPath, [join(projectRoot, 'dist', `${program}.js`), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  processes.push(child);
  const [stdout, stderr]: [string[], string[]] = [[], []];
  child.stdout?.on('data', (chunk) => stdout.push(String(chunk)));
  child.stderr?.on('data', (chunk) => stderr.push(String(chunk)));
  const end = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout: stdout.join(''), stderr: stderr.join('') }));
  return { child, end };
}

class RegtestNode {
  readonly flags: string[];
  readonly run: Run;
  private constructor(
    readonly directory: string,
    port: number,
    peerPort: number,
    extra: readonly string[],
  ) {
    this.flags = ['-regtest', `-datadir=${directory}`, `-rpcport=${port}`];
    this.run = run('main', [...this.flags, `-port=${peerPort}`, '-grpcport=0', '-metricsport=0', ...extra]);
  }

  static async start(directory = newDirectory(), ...extra: string[]): Promise<RegtestNode> {
    const node = new RegtestNode(directory, await freePort(), await freePort(), extra);
    const client = run('cli', node.clientFlags('-rpcwait', 'getblockcount'));
    // -rpcwait waits without end for a node that did not start.
    node.run.child.once('exit', () => client.child.kill());
    const { code, stderr } = await client.end;
    if (code === null) throw new Error(`the node ended: ${(await node.run.end).stderr}`);
    assert.equal(code, 0, stderr);
    return node;
  }

  cli(...args: string[]): Run['end'] {
    return run('cli', this.clientFlags(...args)).end;
  }

  private clientFlags(...args: string[]): string[] {
    return [...this.flags, '-rpcclienttimeout=20', ...args];
  }
}

/** @param line of standard error after `Error: `, or a pattern of it */
async function refused(args: readonly string[], code: number, line: string | RegExp): Promise<void> {
  const result = await run('main', args).end;
  const said = /^Error: (.*)\n$/.exec(result.stderr)?.[1] ?? '';
  assert.equal(result.code, code, result.stderr);
  if (typeof line === 'string') assert.equal(said, line);
  else assert.match(said, line);
}

test('bad flags and directories: one line, exit code 1', async () => {
  await refused(['-nonsense'], 1, 'Error parsing command line arguments: Invalid parameter -nonsense');
  const absent = join(newDirectory(), 'absent');
  await refused([`-datadir=${absent}`], 1, `Specified data directory "${absent}" does not exist.`);
  // Some options are checked behind the start of the server, whose usual port may have a node of its own.
  const flags = ['-regtest', `-datadir=${newDirectory()}`, `-rpcport=${await freePort()}`];
  await refused([...flags, 'token'], 1, "Command line contains unexpected token 'token', see defid -h for a list of options.");
  const height = 'Activation height -5 for Eunos is out of valid range. Use -1 to disable -eunosheight.';
  await refused([...flags, '-eunosheight=-5', '-printtoconsole=0'], 1, height);
  const token = 'Invalid token "nothing" for reward consolidation.';
  await refused([...flags, '-consolidaterewards=DFI', '-consolidaterewards=nothing', '-printtoconsole=0'], 1, token);
  const subnet =
    'Invalid -rpcallowip subnet specification: nowhere. Valid are a single IP (e.g. 1.2.3.4), ' +
    'a network/netmask (e.g. 1.2.3.4/255.255.255.0) or a network/CIDR (e.g. 1.2.3.4/24).';
  await refused([...flags, '-rpcallowip=nowhere', '-printtoconsole=0'], 1, subnet);
});

test('a node answers, locks its directory and port, and stops with empty standard error', async () => {
  const node = await RegtestNode.start();
  const networkDir = join(node.directory, 'regtest');
  assert.equal(readFileSync(join(networkDir, 'defid.pid'), 'utf8'), `${node.run.child.pid}\n`);
  const locked = `Cannot obtain a lock on data directory ${networkDir}. DeFi Blockchain is probably already running.`;
  await refused(['-regtest', `-datadir=${node.directory}`, `-rpcport=${await freePort()}`], 2, locked);
  const port = node.flags.at(-1) ?? '';
  const bound = `port ${port.split('=')[1]} of 127[.]0[.]0[.]1 is in use`;
  const taken = new RegExp(`^Unable to start HTTP server[.] See debug log for details[.] Cannot bind: ${bound}, .*::1.* \\(-rpcport\\)$`);
  await refused(['-regtest', `-datadir=${newDirectory()}`, port, '-printtoconsole=0', '-metricsport=0', '-grpcport=0'], 2, taken);

  assert.deepEqual(await node.cli('getblockhash', '1'), {
    code: 8,
    stdout: '',
    stderr: 'error code: -8\nerror message:\nBlock height out of range\n',
  });
  const stopping = await node.cli('stop');
  assert.deepEqual([stopping.code, stopping.stderr], [0, '']);
  const { code, stderr, stdout } = await node.run.end;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.match(stdout, /"msg":"Shutdown: done"/); // not a terminal: JSON lines
  for (const name of ['defid.pid', '.cookie', '.dfi-lock', 'wallets/.dfi-lock']) assert.ok(!existsSync(join(networkDir, name)), name);
  assert.ok(
    readFileSync(join(networkDir, 'debug.log'), 'utf8')
      .trimEnd()
      .split('\n')
      .every((line) => typeof JSON.parse(line) === 'object'),
  );
});

test('a metrics or gRPC port that was configured and is in use aborts the start', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  for (const name of ['metrics', 'grpc']) {
    const others = name === 'grpc' ? ['-metricsport=0'] : ['-grpcport=0'];
    const flags = ['-regtest', `-datadir=${newDirectory()}`, '-rpcport=0', '-printtoconsole=0', ...others];
    const { code, stderr } = await run('main', [...flags, `-${name}port=${port}`, `-${name}bind=127.0.0.1`]).end;
    assert.equal(code, 2, `${name}: ${stderr}`);
    assert.match(stderr, /^Error: [^\n]+\n$/);
  }
  server.close();
});

test('warnings about options are on standard error and in the log', async () => {
  const node = await RegtestNode.start(newDirectory(), '-debug=foo');
  const line = 'Warning: Unsupported logging category -debug=foo.';
  await node.cli('stop');
  assert.equal((await node.run.end).stderr, `${line}\n`);
  assert.match(readFileSync(join(node.directory, 'regtest', 'debug.log'), 'utf8'), new RegExp(`"level":"warn".*"msg":"${line}"`));
});

test('SIGTERM stops cleanly, SIGKILL leaves a directory that starts again', async () => {
  const first = await RegtestNode.start();
  first.run.child.kill('SIGKILL');
  await first.run.end;
  const second = await RegtestNode.start(first.directory);
  second.run.child.kill('SIGTERM');
  const { code, stderr } = await second.run.end;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});

test('SIGTERM while the modules are loaded ends the start, without a PID file', async () => {
  const directory = newDirectory();
  const pidFile = join(directory, 'regtest', 'defid.pid');
  const { child, end } = run('main', ['-regtest', `-datadir=${directory}`, `-rpcport=${await freePort()}`, '-grpc=0', '-metrics=0']);
  while (!existsSync(pidFile)) await sleep(1);
  child.kill('SIGTERM');
  const { code, stderr } = await end;
  assert.deepEqual([code, stderr, existsSync(pidFile)], [0, '', false]);
});

test('damaged data: exit code 4, the log line names the flag that repairs it, and the flag does', async () => {
  const node = await RegtestNode.start();
  await node.cli('stop');
  await node.run.end;
  const current = join(node.directory, 'regtest', 'chainstate', 'CURRENT');
  writeFileSync(current, 'garbage\n');
  const { code, stderr } = await run('main', [...node.flags, '-metricsport=0', '-grpcport=0', '-printtoconsole=0']).end;
  assert.equal(code, 4, stderr);
  assert.match(stderr, /^Error: [^\n]+ -reindex[^\n]*\n$/);
  const repaired = await RegtestNode.start(node.directory, '-reindex');
  await repaired.cli('stop');
  assert.equal((await repaired.run.end).code, 0);
});

test('a data directory of defid: exit code 5 and no change, also by -reindex and the import of a snapshot', async () => {
  const directory = newDirectory();
  const database = join(directory, 'regtest', 'chainstate');
  for (const path of [database, join(directory, 'regtest', 'blocks', 'index')]) writeLevelDb(path, 'old');
  writeFileSync(join(directory, 'regtest', 'blocks', 'blk00000.dat'), 'blocks');
  const before = contentsOf(directory);
  const flags = ['-regtest', `-datadir=${directory}`];
  const line = `${database} is a database of defid, which this program cannot use. Nothing was changed; choose another directory with -datadir`;
  const commands = [
    [],
    ['-reindex'],
    ['-reindex-chainstate'],
    ['-daemon'],
    ['snapshot', 'import', 'file', '-force'],
    ['snapshot', 'export', 'file'],
  ];
  for (const command of commands) await refused([...command, ...flags], 5, line);
  assert.deepEqual(contentsOf(directory), before);
});

test('-daemonwait returns to the terminal when the node runs, or prints the reason of a failed start', async () => {
  const directory = newDirectory();
  const flags = ['-regtest', `-datadir=${directory}`, `-rpcport=${await freePort()}`];
  const ports = [`-port=${await freePort()}`, '-metricsport=0', '-grpcport=0'];
  const started = await run('main', [...flags, '-daemonwait', ...ports]).end;
  assert.deepEqual(started, { code: 0, stdout: 'DeFi Blockchain starting\n', stderr: '' });
  assert.equal((await run('cli', [...flags, 'getblockcount']).end).stdout, '0\n');
  const pid = Number(readFileSync(join(directory, 'regtest', 'defid.pid'), 'utf8'));
  await run('cli', [...flags, 'stop']).end;
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
  mkdirSync(join(directory, 'regtest', 'defid.pid'));
  const failed = await run('main', [...flags, '-daemonwait', ...ports]).end;
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /^Error: Unable to create the PID file '[^\n]+\n$/);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('config check and show', async () => {
  const flags = ['-regtest', `-datadir=${newDirectory()}`];
  const checked = await run('main', ['config', 'check', ...flags]).end;
  assert.equal(checked.code, 0, checked.stderr);
  assert.match(checked.stdout, /^The configuration is valid: regtest network/m);
  const doubtful = await run('main', ['config', 'check', ...flags, '-rpcport=abc']).end;
  assert.equal(doubtful.code, 0);
  assert.match(doubtful.stdout, /^Warning: Option -rpcport .* should be a number: 'abc' is read as 0$/m);
  const bad = await run('main', ['config', 'check', ...flags, '-eunosheight=-5']).end;
  assert.equal(bad.code, 1);
  const shown = await run('main', ['config', 'show', ...flags, '-rpcpassword=secret']).end;
  assert.match(shown.stdout, /^rpcpassword=\[hidden\] {2}\(command line: -rpcpassword\)$/m);
  assert.match(shown.stdout, /^rpcport=19554 {2}\(default of regtest\)$/m);
});

test('config check and the daemon refuse the same values, before the daemon writes anything', async () => {
  for (const [flag, line] of [
    ['-rewardaddress=foo', 'Invalid -rewardaddress: foo'],
    ['-walletdir=/nope', 'Specified -walletdir "/nope" does not exist'],
    ['-whitelist=zz', "Invalid netmask specified in -whitelist: 'zz'"],
  ] as const) {
    const directory = newDirectory();
    const flags = ['-regtest', `-datadir=${directory}`, flag];
    await refused(['config', 'check', ...flags], 1, line);
    await refused(flags, 1, line);
    assert.deepEqual(readdirSync(directory), []);
  }
});

test('version and help', async () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
  assert.deepEqual(await run('main', ['-version']).end, { code: 0, stdout: `DeFi Blockchain Daemon version v${version}\n`, stderr: '' });
  const help = await run('main', ['-?']).end;
  assert.equal(help.code, 0);
  assert.match(help.stdout, /-metricsport=<n>/);
});
