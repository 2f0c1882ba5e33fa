import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { pino } from 'pino';
import type { Logger, LogLevel } from './logger.js';
import { printable } from './redact.js';

export interface LogOutputOptions {
  /** File that lines are appended to; undefined for none. */
  readonly file: string | undefined;
  /** Cut an overgrown file to its end before the first line. */
  readonly shrinkFile: boolean;
  /** Lines on standard output: as JSON, in a form for people, or none. */
  readonly console: 'json' | 'human' | 'none';
  readonly level: LogLevel;
  /** Levels of single modules, over `level`. */
  readonly moduleLevels?: Readonly<Record<string, LogLevel>>;
  /** Six digits of the second instead of three. */
  readonly microseconds?: boolean;
}

const SHRINK_ABOVE_BYTES = 11_000_000;
const KEEP_BYTES = 10_000_000;

/**
 * Where log lines go: one JSON object a line (`time, level, module, msg`, then the fields). Lines are written before the call
 * returns, so a killed process has told everything. Nothing ever goes to standard error, which belongs to start-up failures.
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
    if (options.console !== 'none') process.stdout.on('error', () => {}); // a reader that left must not end the node
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

  /** The logger of a module; the same one each time. */
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

  levelOf(module: string): LogLevel {
    return this.moduleLevels.get(module) ?? this.level;
  }

  /** Changes the level of one module, or of all that have none of their own, at once. */
  setLevel(level: LogLevel, module?: string): void {
    if (module === undefined) this.level = level;
    else this.moduleLevels.set(module, level);
    for (const [name, { sink }] of this.modules) sink.level = this.levelOf(name);
  }

  /** Opens the file anew, after a log rotation moved it away. */
  reopen(): void {
    if (this.options.file === undefined) return;
    const old = this.fd;
    this.fd = openSync(this.options.file, 'a', 0o600);
    if (old !== undefined) closeSync(old);
  }

  /** Later lines still reach the console, if there is one. */
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

function emit(sink: pino.Logger, level: LogLevel, msg: string, fields: object | undefined): void {
  if (!sink.isLevelEnabled(level)) return;
  if (fields === undefined) sink[level](msg);
  else sink[level](printable(fields), msg);
}

/** A full disk takes the log, not the node. */
function writeLine(fd: number, line: string): void {
  try {
    writeSync(fd, line);
  } catch {
    // nowhere to say so
  }
}

function timestamp(microseconds: boolean): string {
  if (!microseconds) return new Date().toISOString();
  const us = Math.floor((performance.timeOrigin + performance.now()) * 1000);
  return `${new Date(Math.floor(us / 1000)).toISOString().slice(0, -1)}${String(us % 1000).padStart(3, '0')}Z`;
}

/** `2026-01-31 12:00:00 warn  rpc: text key=value` */
export function humanLine(line: string): string {
  const { time, level, module, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
  return `${String(time).slice(0, 19).replace('T', ' ')} ${String(level).padEnd(5)} ${String(module)}: ${String(msg)}${rest.join('')}\n`;
}

/** Keeps the end of a file that outgrew its limit, from a line start on. */
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
