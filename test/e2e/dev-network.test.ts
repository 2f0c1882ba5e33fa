import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { buildPrograms, Daemon, freePort } from '../daemon.js';
import { projectRoot } from '../shared.js';

const run = promisify(execFile);

const PORTS = ['rpcport', 'grpcport', 'metricsport', 'ethrpcport', 'wsport', 'oceanarchiveport'];

interface Outcome {
  readonly line: string;
  readonly stdout: string;
}

/** `npm start` with free ports in a directory of its own, whose name a shell has to quote. */
class Start {
  readonly directory = mkdtempSync(join(tmpdir(), "dfi start's "));
  process: ChildProcess | undefined;
  output = '';

  /** @returns everything it printed until the network was ready */
  async start(): Promise<string> {
    buildPrograms();
    const ports: string[] = [];
    for (const name of PORTS) ports.push(`-${name}=${await freePort()}`);
    const flags = [`-datadir=${this.directory}`, '-devprices=0', ...ports];
    const child = spawn(process.execPath, ['start.mjs', ...flags], { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
    this.process = child;
    return new Promise((resolve, reject) => {
      const read = (chunk: unknown): void => {
        this.output += String(chunk);
        if (this.output.includes('Blocks on request')) resolve(this.output);
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.once('exit', (code) => reject(new Error(`start.mjs ended with ${code}: ${this.output}`)));
    });
  }

  async stop(): Promise<void> {
    const { process: child } = this;
    if (child && child.exitCode === null) {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

describe('npm start', () => {
  const start = new Start();
  const outcomes: Outcome[] = [];

  before(async () => {
    const output = await start.start();
    const lines = output.split('\n').filter((line) => /^ {2}(curl|node) /.test(line));
    for (const line of lines) outcomes.push({ line, stdout: (await run('bash', ['-c', line], { cwd: projectRoot })).stdout });
  });

  after(() => start.stop());

  /** Answers of the printed lines that contain a text, parsed. */
  const answers = (text: string): unknown[] =>
    outcomes.filter(({ line }) => line.includes(text)).map(({ stdout }) => JSON.parse(stdout) as unknown);

  test('every printed line works', () => {
    assert.equal(outcomes.length, 16);
    for (const { line, stdout } of outcomes) assert.ok(!/"error":\s*\{/.test(stdout) && stdout.length > 0, `${line}\n${stdout}`);
  });

  test('swap, loan, bid and price take effect at once', () => {
    const [account] = answers('"getaccount"') as [{ result: string[] }];
    assert.ok(account.result.includes('10500.00000000@DUSD'), account.result.join());
    const [vault] = answers('"getvault"') as [{ result: { state: string; loanAmounts: string[] } }];
    assert.equal(vault.result.state, 'active');
    assert.match(outcomes.find(({ line }) => line.includes('/v1/auctions'))?.stdout ?? '', /"in_liquidation"|inLiquidation/i);
    assert.match(outcomes.find(({ line }) => line.includes('/v1/prices/TSLA/USD'))?.stdout ?? '', /210/);
  });

  test('the price report is seen as event', () => {
    const [{ events }] = answers('/v1/events?') as [{ events: object[] }];
    const report = JSON.stringify(events);
    assert.ok(report.includes('TSLA') && report.includes('210'), report);
  });

  test('a light wallet sees the tokens of the address, as the swap has left them', () => {
    const [tokens] = answers('/tokens') as [{ data: { symbol: string; amount: string }[] }];
    assert.equal(tokens.data.find(({ symbol }) => symbol === 'DUSD')?.amount, '10400.00000000');
  });

  test('the EVM address has what it got at the start and by the line', () => {
    const [balance] = answers('eth_getBalance') as [{ result: string }];
    assert.equal(BigInt(balance.result), 101n * 10n ** 18n);
  });
});

describe('npm start with ports in use', () => {
  const taken = createServer();

  before(() => new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve)));
  after(() => taken.close());

  /** Exit code and message of a start that ends before the node runs. */
  const failure = async (...flags: string[]): Promise<string> => {
    buildPrograms();
    const ports: string[] = [];
    for (const name of PORTS) ports.push(`-${name}=${await freePort()}`);
    const child = spawn(process.execPath, ['start.mjs', ...ports, ...flags], {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += String(chunk);
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    return `${code} ${stderr}`;
  };

  // The node itself runs without these servers, and the printed commands would call another program.
  for (const name of PORTS) {
    test(`a port of another program is refused: ${name}`, async () => {
      const { port } = taken.address() as AddressInfo;
      const text = await failure(`-${name}=${port}`);
      assert.match(text, new RegExp(`^2 Error: .*\\b${port} \\(EADDRINUSE, choose another with -${name}\\)`));
    });
  }

  test('a port that is no number is refused', async () => {
    assert.equal(await failure('-wsport=abc'), '1 Error: -wsport=abc: a number from 1 to 65535 is needed\n');
  });
});

describe('dfid -dev', () => {
  const daemon = new Daemon(['-dev', '-devmine=off', '-devprices=0']);
  const marker = join(daemon.directory, 'dev', 'unfinished-world');

  after(() => daemon.destroy());

  test('an interrupted start leaves nothing behind', async () => {
    await daemon.start(['-devworld=0', '-keypool=10']);
    await daemon.ask('generatetoaddress', 3, 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU');
    assert.equal(await daemon.end(), 0);
    writeFileSync(marker, '');
    await daemon.start();
    assert.ok(!existsSync(marker));
  });

  test('the world has something of everything', async () => {
    const count = async (method: string, ...params: unknown[]) => Object.keys((await daemon.ask(method, ...params)) as object).length;
    assert.deepEqual(
      [await count('listtokens'), await count('listpoolpairs'), await count('listloanschemes'), await count('listcollateraltokens')],
      [11, 5, 3, 4],
    );
    assert.deepEqual([await count('listloantokens'), await count('listvaults'), await count('listauctions')], [3, 2, 1]);
    assert.deepEqual([await count('listgovproposals'), await count('icx_listorders'), await count('listprices')], [1, 2, 6]);
    assert.equal(await daemon.ask('getconnectioncount'), 0);
  });

  test('every account has its outputs, whatever the calls of the world were paid with', async () => {
    const unspent = (await daemon.ask('listunspent', 1)) as { address: string; amount: number }[];
    for (let index = 0; index < 10; index++) {
      const own = Object.keys((await daemon.ask('getaddressesbylabel', `account ${index}`)) as object);
      const largest = Math.max(0, ...unspent.filter(({ address }) => own.includes(address)).map(({ amount }) => amount));
      assert.equal(largest, 10_000, `account ${index}`);
    }
  });

  test('off: transactions wait for a block that is asked for', async () => {
    const height = Number(await daemon.ask('getblockcount'));
    const [address] = Object.keys((await daemon.ask('getaddressesbylabel', 'account 5')) as object);
    await daemon.ask('sendtoaddress', address, 1);
    // The report of the start waits, too.
    assert.equal(((await daemon.ask('getrawmempool')) as unknown[]).length, 2);
    assert.equal(await daemon.ask('getblockcount'), height);
    await daemon.ask('generatetoaddress', 1, address);
    assert.deepEqual(await daemon.ask('getrawmempool'), []);
  });

  test('the world is kept, and tx mints what a call sends before it answers', async () => {
    const height = Number(await daemon.ask('getblockcount'));
    assert.equal(await daemon.end(), 0);
    await daemon.start(['-devmine=tx']);
    // One block for the price report of this start.
    assert.equal(await daemon.ask('getblockcount'), height + 1);
    const [address] = Object.keys((await daemon.ask('getaddressesbylabel', 'account 6')) as object);
    await daemon.ask('sendtoaddress', address, 1);
    assert.equal(await daemon.ask('getblockcount'), height + 2);
    assert.deepEqual(await daemon.ask('getrawmempool'), []);
  });
});
