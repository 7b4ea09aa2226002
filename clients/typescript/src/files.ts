import { pack, unpack } from "#host";
import { type CallOptions, type Client, type Data, PATIENT, at, bytesOf, sendable } from "./client.js";
import { signalOf } from "./commands.js";
import { PathNotFoundError, SandglassError } from "./errors.js";
import type { Progress } from "./host.js";
import { fromWire } from "./wire.js";

/** What is at a path. */
export interface EntryInfo {
  /** The last component of the path. */
  name: string;
  /** As asked for; in a listing relative to the directory. */
  path: string;
  kind: "file" | "directory" | "link" | "fifo" | "socket" | "device";
  /** Permission bits in octal. */
  mode: string;
  uid: number;
  gid: number;
  owner?: string;
  group?: string;
  size: number;
  modifiedAt: Date;
  /** Where a link points. */
  target?: string;
}

/** Something that happened below a directory that is watched. */
export interface WatchEvent {
  event: "create" | "write" | "remove" | "rename_from" | "rename_to" | "attributes" | "overflow";
  /** Relative to the directory. */
  path?: string;
  directory?: boolean;
}

/** What every call about files takes. */
export interface FileOptions extends CallOptions {
  /** For whom it is done, with whose rights: name, uid, name:group or uid:gid. Relative paths and `~` are taken from their home. */
  user?: string;
}

export interface ReadOptions extends FileOptions {
  onProgress?: Progress;
}

export interface WriteOptions extends FileOptions {
  /** Permission bits in octal, such as 755. */
  mode?: string;
  onProgress?: Progress;
}

/** The files of a sandbox. */
export class Files {
  readonly #client: Client;
  readonly #owner: readonly [string, string];

  /** @param kind in whose files: `sandboxes` or `volumes` */
  constructor(client: Client, owner: string, kind = "sandboxes") {
    this.#client = client;
    this.#owner = [kind, owner];
  }

  read(path: string, options?: ReadOptions & { format?: "text" }): Promise<string>;
  read(path: string, options: ReadOptions & { format: "bytes" }): Promise<Uint8Array>;
  read(path: string, options: ReadOptions & { format: "stream" }): Promise<AsyncIterable<Uint8Array>>;
  /** What a file has: as text, as bytes, or as it comes. */
  async read(path: string, options: ReadOptions & { format?: "text" | "bytes" | "stream" } = {}): Promise<string | Uint8Array | AsyncIterable<Uint8Array>> {
    const answer = await this.#client.open("GET", this.#at("files"), { query: { path, user: options.user }, ...signalOf(options) });
    const length = answer.header("content-length");
    const body = options.onProgress === undefined ? answer.body : counted(answer.body, options.onProgress, length === undefined ? undefined : Number(length));
    if (options.format === "stream") {
      return body;
    }
    const bytes = await bytesOf(body);
    return options.format === "bytes" ? bytes : new TextDecoder().decode(bytes);
  }

  /** Writes a file and makes its parents. It is replaced whole or not at all. */
  async write(path: string, data: Data, options: WriteOptions = {}): Promise<EntryInfo> {
    const bytes = sendable(data);
    const total = bytes instanceof Uint8Array ? bytes.length : data instanceof Blob ? data.size : undefined;
    const query = { path, user: options.user, mode: options.mode };
    const sent = options.onProgress === undefined ? bytes : counted(bytes instanceof Uint8Array ? pieces(bytes) : bytes, options.onProgress, total);
    return entry(await this.#client.ask("PUT", this.#at("files"), { query, bytes: sent, ...signalOf(options) }));
  }

  /** What is in a directory, `depth` levels deep (1 if absent), in order of name. */
  async list(path: string, options: FileOptions & { depth?: number } = {}): Promise<EntryInfo[]> {
    const found = await this.#ask<{ entries: unknown[]; truncated: boolean }>("GET", "list", { path, depth: options.depth }, options);
    if (found.truncated) {
      throw new SandglassError("too_large", `${path} has more entries than one answer holds`, "List its directories one by one.");
    }
    return found.entries.map(entry);
  }

  /** Whether there is something at a path. */
  async exists(path: string, options: FileOptions = {}): Promise<boolean> {
    try {
      await this.getInfo(path, options);
      return true;
    } catch (problem) {
      if (problem instanceof PathNotFoundError) {
        return false;
      }
      throw problem;
    }
  }

  /** What is at a path; of a link itself, unless `follow` is set. */
  async getInfo(path: string, options: FileOptions & { follow?: boolean } = {}): Promise<EntryInfo> {
    return entry(await this.#ask("GET", "stat", { path, follow: options.follow }, options));
  }

  /** Removes a file, or a directory with all in it. */
  async remove(path: string, options: FileOptions = {}): Promise<void> {
    await this.#client.ask("DELETE", this.#at("files"), { query: { path, user: options.user, recursive: true }, ...signalOf(options) });
  }

  /** Moves a file or directory. */
  async rename(path: string, to: string, options: FileOptions = {}): Promise<EntryInfo> {
    return entry(await this.#ask("POST", "move", { path, to }, options));
  }

  /** Makes a directory with its parents; fine if it is there. */
  async makeDir(path: string, options: FileOptions & { mode?: string } = {}): Promise<EntryInfo> {
    return entry(await this.#ask("PUT", "directory", { path, mode: options.mode }, options));
  }

  /** Tells what happens below a directory from now on, until it is stopped. */
  async watchDir(path: string, onEvent: (event: WatchEvent) => void, options: FileOptions & { recursive?: boolean } = {}): Promise<WatchHandle> {
    const stop = new AbortController();
    const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    const events = this.#client.lines<WatchEvent | { event: "ready" }>(this.#at("files", "watch"), {
      query: { path, user: options.user, recursive: options.recursive ?? true },
      signal,
    });
    await events.next(); // the first says that it is in place
    const told = (async () => {
      for await (const event of events) {
        onEvent(event as WatchEvent);
      }
    })().catch((problem: unknown) => {
      if (!signal.aborted) {
        throw problem;
      }
    });
    told.catch(() => undefined); // told to whoever stops it
    return {
      async stop() {
        stop.abort();
        await told;
      },
    };
  }

  /** Brings what is in a local directory into one of the sandbox, which is made. Links stay links; modes and times are kept. */
  async uploadDir(local: string, path: string, options: ReadOptions = {}): Promise<void> {
    const bytes = pack(local, options.onProgress);
    await this.#client.ask("PUT", this.#at("archive"), { query: { path, user: options.user }, bytes, type: "application/x-tar", idleMillis: PATIENT, ...signalOf(options) });
  }

  /** Brings what is in a directory of the sandbox into a local one, which is made. Links that lead out of it, and devices, are left out. */
  async downloadDir(path: string, local: string, options: ReadOptions = {}): Promise<void> {
    const answer = await this.#client.open("GET", this.#at("archive"), { query: { path, user: options.user, content: true }, ...signalOf(options) });
    await unpack(answer.body, local, options.onProgress);
  }

  #at(...parts: string[]): string {
    return at(...this.#owner, ...parts);
  }

  #ask<T>(method: string, operation: string, query: Record<string, string | number | boolean | undefined>, options: FileOptions): Promise<T> {
    return this.#client.ask<T>(method, this.#at("files", operation), { query: { ...query, user: options.user }, ...signalOf(options) });
  }
}

/** A directory that is watched. */
export interface WatchHandle {
  /** Ends it. Throws what it broke with, if it did. */
  stop(): Promise<void>;
}

function entry(value: unknown): EntryInfo {
  return fromWire(value) as EntryInfo;
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 1 << 18) {
    yield bytes.subarray(from, from + (1 << 18));
  }
}

async function* counted(bytes: AsyncIterable<Uint8Array>, progress: Progress, total: number | undefined): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const part of bytes) {
    yield part;
    done += part.length;
    progress(done, total);
  }
}
