import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { pino } from 'pino';
import type { Logger, LogLevel } from './logger.js';
import { printable } from './redact.js';

/** Destinations and levels of the log. */
export interface LogOutputOptions {
  /** File to append to; undefined for none. */
  readonly file: string | undefined;
  /** Shrink the file to its last 10 MB at start if it exceeds 11 MB. */
  readonly shrinkFile: boolean;
  /** Format of lines on standard output. */
  readonly console: 'json' | 'human' | 'none';
  readonly level: LogLevel;
  /** Levels of single modules, which override `level`. */
  readonly moduleLevels?: Readonly<Record<string, LogLevel>>;
  /** Timestamps with microseconds instead of milliseconds. */
  readonly microseconds?: boolean;
}

const SHRINK_ABOVE_BYTES = 11_000_000;
const KEEP_BYTES = 10_000_000;

/**
 * Log file and console: one JSON object per line (`time`, `level`, `module`, `msg`, then the fields). Writes are synchronous, so that no
 * line is lost if the process is killed. Standard error is reserved for start-up failures.
 */
export class LogOutput {
  readonly root: Logger;
  private readonly base: pino.Logger;
  private readonly modules = new Map<string, { sink: pino.Logger; logger: Logger }>();
  private readonly moduleLevels: Map<string, LogLevel>;
  private level: LogLevel;
  private fd: number | undefined;

  /** @throws {Error} of node:fs if the file cannot be opened */
  constructor(private readonly options: LogOutputOptions) {
    this.level = options.level;
    this.moduleLevels = new Map(Object.entries(options.moduleLevels ?? {}));
    if (options.file !== undefined) {
      if (options.shrinkFile) shrink(options.file);
      this.fd = openSync(options.file, 'a', 0o600);
    }
    if (options.console !== 'none') process.stdout.on('error', () => {}); // a closed pipe must not end the node
    this.base = pino(
      {
        base: null,
        level: 'debug',
        timestamp: () => `,"time":"${timestamp(options.microseconds ?? false)}"`,
        formatters: { level: (label) => ({ level: label }) },
      },
      { write: (line: string) => this.write(line) },
    );
    this.root = this.module('node');
  }

  /** Logger of a module; the same object for each call. */
  module(name: string): Logger {
    const known = this.modules.get(name);
    if (known) return known.logger;
    const sink = this.base.child({ module: name }, { level: this.levelOf(name) });
    const logger: Logger = {
      debug: (msg, fields) => emit(sink, 'debug', msg, fields),
      info: (msg, fields) => emit(sink, 'info', msg, fields),
      warn: (msg, fields) => emit(sink, 'warn', msg, fields),
      error: (msg, fields) => emit(sink, 'error', msg, fields),
      child: (module) => this.module(module),
    };
    this.modules.set(name, { sink, logger });
    return logger;
  }

  /** Effective level of a module. */
  levelOf(module: string): LogLevel {
    return this.moduleLevels.get(module) ?? this.level;
  }

  /** Changes the level of a module; without a module, of all modules that have no level of their own. */
  setLevel(level: LogLevel, module?: string): void {
    if (module === undefined) this.level = level;
    else this.moduleLevels.set(module, level);
    for (const [name, { sink }] of this.modules) sink.level = this.levelOf(name);
  }

  /** Reopens the file after log rotation. If it cannot be opened, the old one is written on, as in `defid`. */
  reopen(): void {
    if (this.options.file === undefined) return;
    const old = this.fd;
    try {
      this.fd = openSync(this.options.file, 'a', 0o600);
    } catch (error) {
      this.root.warn('cannot reopen the log file', { file: this.options.file, reason: (error as Error).message });
      return;
    }
    if (old !== undefined) closeSync(old);
  }

  /** Closes the file; later lines are written to the console only. */
  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  private write(line: string): void {
    if (this.fd !== undefined) writeLine(this.fd, line);
    if (this.options.console === 'json') process.stdout.write(line);
    else if (this.options.console === 'human') process.stdout.write(humanLine(line));
  }
}

function emit(sink: pino.Logger, level: LogLevel, msg: string, fields: object | (() => object) | undefined): void {
  if (!sink.isLevelEnabled(level)) return;
  if (fields === undefined) sink[level](msg);
  else sink[level](printable(typeof fields === 'function' ? (fields as () => object)() : fields), msg);
}

/** Writes a line. If the disk is full, log lines are dropped; the node keeps running. */
function writeLine(fd: number, line: string): void {
  try {
    writeSync(fd, line);
  } catch {
    // no place to report it
  }
}

function timestamp(microseconds: boolean): string {
  if (!microseconds) return new Date().toISOString();
  const us = Math.floor((performance.timeOrigin + performance.now()) * 1000);
  return `${new Date(Math.floor(us / 1000)).toISOString().slice(0, -1)}${String(us % 1000).padStart(3, '0')}Z`;
}

/** Formats a line for the terminal: `2026-01-31 12:00:00 warn  rpc: text key=value`. */
export function humanLine(line: string): string {
  const { time, level, module, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
  return `${String(time).slice(0, 19).replace('T', ' ')} ${String(level).padEnd(5)} ${String(module)}: ${String(msg)}${rest.join('')}\n`;
}

/** Shrinks a file above the limit to its end, from the start of a line on. */
function shrink(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= SHRINK_ABOVE_BYTES) return;
  const fd = openSync(file, 'r+');
  try {
    const tail = Buffer.alloc(KEEP_BYTES);
    const read = readSync(fd, tail, 0, KEEP_BYTES, size - KEEP_BYTES);
    const kept = tail.subarray(tail.indexOf(10) + 1, read);
    ftruncateSync(fd, 0);
    writeSync(fd, kept, 0, kept.length, 0);
  } finally {
    closeSync(fd);
  }
}
