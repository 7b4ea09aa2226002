import { type CallOptions, Client, at } from "./client.js";
import { signalOf } from "./commands.js";
import { Files } from "./files.js";
import type { ConnectionOptions } from "./host.js";
import { Paginator } from "./paginator.js";
import { fromWire, labelFilter, toWire } from "./wire.js";

/** A volume at a path of a sandbox. */
export interface VolumeMount {
  /** Its name or id. */
  volume: string;
  path: string;
  /** `rw`: no other sandbox may write to it, which is the default; `shared`: others may that say so too; `ro`: not written to. */
  mode?: "rw" | "shared" | "ro";
}

/** A volume as it is now. */
export interface VolumeInfo {
  volumeId: string;
  name: string;
  kind: "volume" | "snapshot";
  sizeMb: number;
  usedBytes?: number;
  /** The volume of which it is a copy. */
  source?: string;
  metadata: Record<string, string>;
  createdAt: Date;
  usedBy: { sandboxId: string; sandboxName: string; path: string; mode: string }[];
}

export interface VolumeOptions extends CallOptions, ConnectionOptions {
  /** How much may be written to it. */
  sizeMb?: number;
  metadata?: Record<string, string>;
}

/** A durable directory that outlives sandboxes. */
export class Volume {
  readonly volumeId: string;
  readonly name: string;
  /** What is in it. */
  readonly files: Pick<Files, "read" | "write" | "getInfo" | "exists" | "uploadDir" | "downloadDir">;
  readonly #client: Client;

  private constructor(client: Client, info: VolumeInfo) {
    this.#client = client;
    this.volumeId = info.volumeId;
    this.name = info.name;
    this.files = new Files(client, info.volumeId, "volumes");
  }

  /** Makes an empty one, which stays until it is deleted; under a random name if none is given. */
  static async create(name?: string, options: VolumeOptions = {}): Promise<Volume> {
    const client = await Client.find(options);
    return Volume.#made(client, at("volumes"), { name, sizeMb: options.sizeMb, labels: options.metadata }, options);
  }

  /** One that is there, by name or id. */
  static async get(volume: string, options: CallOptions & ConnectionOptions = {}): Promise<Volume> {
    const client = await Client.find(options);
    return new Volume(client, infoOf(await client.ask("GET", at("volumes", volume), signalOf(options))));
  }

  /** All that fit, oldest first, page by page. */
  static list(options: CallOptions & ConnectionOptions & { metadata?: Record<string, string>; limit?: number } = {}): Paginator<VolumeInfo> {
    return new Paginator(async (cursor) => {
      const client = await Client.find(options);
      const query = { cursor, limit: options.limit, label: labelFilter(options.metadata) };
      const page = await client.ask<{ volumes: unknown[]; next_cursor?: string }>("GET", at("volumes"), { query, ...signalOf(options) });
      return { items: page.volumes.map(infoOf), cursor: page.next_cursor };
    });
  }

  /** Removes one with all in it; a `conflict` names the sandboxes that have it. */
  static async delete(volume: string, options: CallOptions & ConnectionOptions = {}): Promise<void> {
    const client = await Client.find(options);
    await client.ask("DELETE", at("volumes", volume), signalOf(options));
  }

  async getInfo(options: CallOptions = {}): Promise<VolumeInfo> {
    return infoOf(await this.#client.ask("GET", at("volumes", this.volumeId), signalOf(options)));
  }

  /** Removes it with all in it. */
  async delete(options: CallOptions = {}): Promise<void> {
    await this.#client.ask("DELETE", at("volumes", this.volumeId), signalOf(options));
  }

  /** Keeps what it is now, as a volume that never changes. */
  snapshot(options: CallOptions & { name?: string; metadata?: Record<string, string> } = {}): Promise<Volume> {
    return Volume.#made(this.#client, at("volumes", this.volumeId, "snapshot"), { name: options.name, labels: options.metadata }, options);
  }

  /** A volume that begins with what this one has now. */
  fork(options: CallOptions & { name?: string; metadata?: Record<string, string> } = {}): Promise<Volume> {
    return Volume.#made(this.#client, at("volumes", this.volumeId, "fork"), { name: options.name, labels: options.metadata }, options);
  }

  static async #made(client: Client, path: string, request: object, options: CallOptions): Promise<Volume> {
    return new Volume(client, infoOf(await client.ask("POST", path, { json: toWire(request), ...signalOf(options) })));
  }
}

/** The volumes of a sandbox. */
export class SandboxVolumes {
  readonly #client: Client;
  readonly #sandbox: string;

  constructor(client: Client, sandbox: string) {
    this.#client = client;
    this.#sandbox = sandbox;
  }

  /** Mounts a volume, at once if the sandbox runs. */
  async attach(volume: string, path: string, options: CallOptions & { mode?: VolumeMount["mode"] } = {}): Promise<void> {
    await this.#client.ask("POST", at("sandboxes", this.#sandbox, "volumes"), { json: toWire({ volume, path, mode: options.mode }), ...signalOf(options) });
  }

  /** Takes a volume from it; a `conflict` while processes use it. */
  async detach(volume: string, options: CallOptions = {}): Promise<void> {
    await this.#client.ask("DELETE", at("sandboxes", this.#sandbox, "volumes", volume), signalOf(options));
  }
}

function infoOf(value: unknown): VolumeInfo {
  const { id, labels, ...rest } = fromWire(value) as { id: string; labels: Record<string, string> } & Omit<VolumeInfo, "volumeId" | "metadata">;
  return { volumeId: id, metadata: labels, ...rest };
}
