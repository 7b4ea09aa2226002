/// <reference lib="esnext.disposable" preserve="true" />
import { type CallOptions, Client, PATIENT, at } from "./client.js";
import { Commands, signalOf } from "./commands.js";
import { SandboxNotFoundError } from "./errors.js";
import { Files } from "./files.js";
import type { ConnectionOptions } from "./host.js";
import { type SandboxInfo, type SandboxState, type SnapshotInfo, sandboxInfo, snapshotInfo } from "./info.js";
import { Network, type NetworkPolicy } from "./network.js";
import { Paginator } from "./paginator.js";
import { Pty } from "./pty.js";
import { type Attempt, type RaceOptions, type RaceResult, race } from "./race.js";
import { Routes } from "./routes.js";
import { Services } from "./services.js";
import { SandboxVolumes, type VolumeMount } from "./volumes.js";
import { labelFilter, toWire, without } from "./wire.js";

/** What a call to a daemon takes that is not yet known. */
export type DaemonOptions = CallOptions & ConnectionOptions;

/** What a new sandbox is to be. Times are seconds, 0 is never; what is absent takes the daemon's default. */
export interface CreateOptions extends DaemonOptions {
  /** A random one if absent. */
  name?: string;
  /** The template to begin with; it is built on first use. */
  template?: string;
  /** The snapshot to begin with: a name or an id. */
  snapshotId?: string;
  /** The image from elsewhere to begin with. */
  image?: string;
  runtime?: "auto" | "container" | "gvisor";
  security?: "strict" | "standard";
  memoryMb?: number;
  cpus?: number;
  diskMb?: number;
  maxProcesses?: number;
  /** Environment variables of its commands. */
  envs?: Record<string, string>;
  /** What it can be found by. */
  metadata?: Record<string, string>;
  /** Seconds after which it is destroyed, or paused if `onTimeout` says so. */
  timeout?: number;
  onTimeout?: "kill" | "pause";
  /** Seconds without use after which it is paused. */
  ttl?: number;
  hardTtl?: number;
  /** Whether its use lets it go on when it is paused. */
  autoResume?: boolean;
  /** Seconds between two snapshots that are taken by themselves. */
  checkpointEvery?: number;
  keepCheckpoints?: number;
  restart?: "never" | "from-checkpoint";
  /** What it may reach: a preset, or a policy. */
  network?: "none" | "open" | "package-registries" | NetworkPolicy;
  /** Names of credentials that its requests may get. */
  credentials?: string[];
  volumes?: VolumeMount[];
  volumesFrom?: "share" | "fork" | "none";
  /** As whom its commands run if they do not say. */
  user?: string;
  /** Where its commands run if they do not say. */
  workdir?: string;
  /** Begins with the disk of a full snapshot, and not with its processes. */
  diskOnly?: boolean;
}

/** What copies are to be, where they differ from their source. */
export interface ForkOptions extends CallOptions {
  /** Theirs, with -1, -2 and so on if there are several. */
  name?: string;
  envs?: Record<string, string>;
  metadata?: Record<string, string>;
  memoryMb?: number;
  cpus?: number;
  timeout?: number;
  /** Without processes and memory. */
  diskOnly?: boolean;
  volumes?: VolumeMount[];
  volumesFrom?: "share" | "fork" | "none";
}

export interface SnapshotOptions extends CallOptions {
  name?: string;
  description?: string;
  metadata?: Record<string, string>;
  /** Without processes and memory. */
  diskOnly?: boolean;
  /** Seconds after which it goes by itself. */
  expires?: number;
}

/** An isolated machine: filesystem, processes, network, limits. It runs on when this program ends. */
export class Sandbox {
  readonly sandboxId: string;
  readonly name: string;
  readonly commands: Commands;
  readonly files: Files;
  readonly pty: Pty;
  readonly services: Services;
  readonly routes: Routes;
  readonly network: Network;
  readonly volumes: SandboxVolumes;
  readonly #client: Client;

  private constructor(client: Client, { sandboxId, name }: { sandboxId: string; name: string }) {
    this.#client = client;
    this.sandboxId = sandboxId;
    this.name = name;
    this.commands = new Commands(client, sandboxId);
    this.files = new Files(client, sandboxId);
    this.pty = new Pty(client, sandboxId);
    this.services = new Services(client, sandboxId);
    this.routes = new Routes(client, sandboxId);
    this.network = new Network(client, sandboxId);
    this.volumes = new SandboxVolumes(client, sandboxId);
  }

  /** Makes a sandbox and returns when it runs. */
  static async create(options: CreateOptions = {}): Promise<Sandbox> {
    const client = await Client.find(options);
    const { envs, metadata, snapshotId, network, ...rest } = without(options, "url", "apiKey", "dataDir", "signal");
    const policy = typeof network === "string" ? { preset: network } : network;
    const json = { ...toWire({ ...rest, from: snapshotId }), env: envs, labels: metadata, network: policy };
    // A template may first have to be built, which takes as long as it takes.
    return new Sandbox(client, sandboxInfo(await client.ask("POST", at("sandboxes"), { json, once: true, idleMillis: PATIENT, ...signalOf(options) })));
  }

  /** One that is there, by id or name. If it rests it goes on. */
  static async connect(sandbox: string, options: DaemonOptions = {}): Promise<Sandbox> {
    const client = await Client.find(options);
    const info = sandboxInfo(await client.ask("GET", at("sandboxes", sandbox), signalOf(options)));
    const found = new Sandbox(client, info);
    if (info.state === "paused") {
      await found.resume(options);
    }
    return found;
  }

  /** All that fit, oldest first, page by page; `limit` is how many are on one. */
  static list(options: DaemonOptions & { metadata?: Record<string, string>; state?: SandboxState[]; name?: string; limit?: number } = {}): Paginator<SandboxInfo> {
    return new Paginator(async (cursor) => {
      const client = await Client.find(options);
      const query = { cursor, limit: options.limit, name: options.name, state: options.state, label: labelFilter(options.metadata) };
      const page = await client.ask<{ sandboxes: unknown[]; next_cursor?: string }>("GET", at("sandboxes"), { query, ...signalOf(options) });
      return { items: page.sandboxes.map(sandboxInfo), cursor: page.next_cursor };
    });
  }

  /** Destroys a sandbox, by id or name. */
  static async kill(sandbox: string, options: DaemonOptions = {}): Promise<void> {
    const client = await Client.find(options);
    await client.ask("DELETE", at("sandboxes", sandbox), signalOf(options));
  }

  /** Snapshots that somebody asked for, oldest first, page by page; `limit` is how many are on one. */
  static listSnapshots(options: DaemonOptions & { metadata?: Record<string, string>; name?: string; limit?: number } = {}): Paginator<SnapshotInfo> {
    return new Paginator(async (cursor) => {
      const client = await Client.find(options);
      const query = { cursor, limit: options.limit, name: options.name, label: labelFilter(options.metadata) };
      const page = await client.ask<{ snapshots: unknown[]; next_cursor?: string }>("GET", at("snapshots"), { query, ...signalOf(options) });
      return { items: page.snapshots.map(snapshotInfo), cursor: page.next_cursor };
    });
  }

  /** Deletes a snapshot, by name or id. What grew from it stays whole. */
  static async deleteSnapshot(snapshot: string, options: DaemonOptions = {}): Promise<void> {
    const client = await Client.find(options);
    await client.ask("DELETE", at("snapshots", snapshot), signalOf(options));
  }

  /** Destroys it; fine if it is gone. */
  async kill(options: CallOptions = {}): Promise<void> {
    try {
      await this.#ask("DELETE", [], options);
    } catch (problem) {
      if (!(problem instanceof SandboxNotFoundError)) {
        throw problem;
      }
    }
  }

  /** Destroys it where an `await using` ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  /** As it is now. */
  async getInfo(options: CallOptions = {}): Promise<SandboxInfo> {
    return sandboxInfo(await this.#ask("GET", [], options));
  }

  /** Whether it runs now. */
  async isRunning(options: CallOptions = {}): Promise<boolean> {
    try {
      return (await this.getInfo(options)).state === "running";
    } catch (problem) {
      if (problem instanceof SandboxNotFoundError) {
        return false;
      }
      throw problem;
    }
  }

  /** How many seconds from now it is destroyed, or paused; 0 is never. */
  async setTimeout(seconds: number, options: CallOptions = {}): Promise<void> {
    await this.#ask("PATCH", [], options, { timeout: seconds });
  }

  /** The host name, with a port if it needs one, under which routes let in to one of its ports. */
  async getHost(port: number, options: CallOptions = {}): Promise<string> {
    const status = await this.#client.ask<{ route_address: string; route_domain: string }>("GET", at("status"), signalOf(options));
    const outside = new URL(status.route_address).port;
    return `${port}-${this.sandboxId.replace("-", "")}.${status.route_domain}${outside === "" ? "" : `:${outside}`}`;
  }

  /** Keeps its processes and memory on the disk and frees what they used; with `diskOnly` they end. */
  async pause(options: CallOptions & { diskOnly?: boolean } = {}): Promise<void> {
    await this.#ask("POST", ["pause"], options, toWire({ diskOnly: options.diskOnly }));
  }

  /** Lets it go on where it was, or with `diskOnly` start anew on its disk. */
  async resume(options: CallOptions & { diskOnly?: boolean } = {}): Promise<void> {
    await this.#ask("POST", ["resume"], options, toWire({ diskOnly: options.diskOnly }));
  }

  /** Ends all its processes and keeps its disk. */
  async stop(options: CallOptions = {}): Promise<void> {
    await this.#ask("POST", ["stop"], options);
  }

  /** Starts it after a stop. */
  async start(options: CallOptions = {}): Promise<void> {
    await this.#ask("POST", ["start"], options);
  }

  /** Captures it as it is now, with its processes where its runtime can. It goes on. */
  async createSnapshot(options: SnapshotOptions = {}): Promise<SnapshotInfo> {
    const { metadata, signal: _, ...rest } = options;
    return snapshotInfo(await this.#ask("POST", ["snapshots"], options, { ...toWire(rest), labels: metadata }, true));
  }

  /** Makes copies of it from one pause, all of them or none. It goes on. */
  async fork(count = 1, options: ForkOptions = {}): Promise<Sandbox[]> {
    const { envs, metadata, signal: _, ...rest } = options;
    const made = await this.#ask<{ sandboxes: unknown[] }>("POST", ["fork"], options, { ...toWire({ ...rest, count }), env: envs, labels: metadata }, true);
    return made.sandboxes.map((copy) => new Sandbox(this.#client, sandboxInfo(copy)));
  }

  /** Makes it what a snapshot has, under the same id and name. What it is now is kept, and `undoRewind` brings that back. */
  async rewind(snapshot: string | SnapshotInfo, options: CallOptions & { diskOnly?: boolean } = {}): Promise<void> {
    await this.#ask("POST", ["rewind"], options, toWire({ snapshot: typeof snapshot === "string" ? snapshot : snapshot.snapshotId, diskOnly: options.diskOnly }));
  }

  /** Makes it what it was before it was last turned back. */
  async undoRewind(options: CallOptions = {}): Promise<void> {
    await this.#ask("POST", ["rewind"], options, { undo: true });
  }

  /** Lets copies of it try something at once, keeps the first that succeeds, or the one with the best score, and destroys the others. */
  async race(what: Attempt, options: RaceOptions = {}): Promise<RaceResult> {
    const name = options.name ?? `race-${Math.random().toString(36).slice(2, 10)}`;
    return race(await this.fork(options.count ?? 2, { name, ...signalOf(options) }), what, options);
  }

  #ask<T>(method: string, parts: string[], options: CallOptions, json?: unknown, once = false): Promise<T> {
    return this.#client.ask<T>(method, at("sandboxes", this.sandboxId, ...parts), { json, once, ...signalOf(options) });
  }
}
