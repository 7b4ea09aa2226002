import { type CallOptions, type Client, PATIENT, at } from "./client.js";
import { type CommandLine, signalOf } from "./commands.js";
import { argv, fromWire, toWire } from "./wire.js";

/** How a service is run. */
export interface ServiceOptions extends CallOptions {
  /** Where it listens; it finds it in PORT. */
  port?: number;
  envs?: Record<string, string>;
  cwd?: string;
  user?: string;
  description?: string;
  /** When it is started again; `on-failure` if absent. */
  restart?: "never" | "on-failure" | "always";
  /** It is well while this path of its port answers. */
  healthPath?: string;
  /** It is well while this line of shell ends with 0. */
  healthCommand?: string;
  /** Services that are started before it. */
  after?: string[];
  /** Takes the place of one of that name. */
  replace?: boolean;
}

/** A command that a sandbox supervises. */
export interface ServiceInfo {
  name: string;
  state: "inactive" | "starting" | "running" | "exited" | "stopping" | "waiting" | "failed";
  pid?: number;
  restarts: number;
  lastExit?: number;
  reason?: string;
  enabled: boolean;
  port?: number;
  health?: "unknown" | "healthy" | "unhealthy";
  command?: string;
}

/** The services of a sandbox. */
export class Services {
  readonly #client: Client;
  readonly #sandbox: string;

  constructor(client: Client, sandbox: string) {
    this.#client = client;
    this.#sandbox = sandbox;
  }

  /** Has a command supervised: it is started now and with the sandbox, also with every copy of its disk. */
  create(name: string, command: CommandLine, options: ServiceOptions = {}): Promise<ServiceInfo> {
    const { envs, healthPath, healthCommand, signal: _, ...rest } = options;
    const health = healthPath === undefined && healthCommand === undefined ? undefined : { path: healthPath, command: healthCommand };
    return this.#ask("POST", [], options, toWire({ ...rest, name, argv: argv(command), env: envs, health }));
  }

  /** All that it has, by name. */
  async list(options: CallOptions = {}): Promise<ServiceInfo[]> {
    return (await this.#ask<{ services: ServiceInfo[] }>("GET", [], options)).services;
  }

  get(name: string, options: CallOptions = {}): Promise<ServiceInfo> {
    return this.#ask("GET", [name], options);
  }

  start(name: string, options: CallOptions = {}): Promise<ServiceInfo> {
    return this.#ask("POST", [name, "start"], options);
  }

  /** Ends it until it is started again, or its sandbox is. */
  stop(name: string, options: CallOptions = {}): Promise<ServiceInfo> {
    return this.#ask("POST", [name, "stop"], options);
  }

  restart(name: string, options: CallOptions = {}): Promise<ServiceInfo> {
    return this.#ask("POST", [name, "restart"], options);
  }

  /** Ends it for good. */
  remove(name: string, options: CallOptions = {}): Promise<void> {
    return this.#ask("DELETE", [name], options);
  }

  /** What is kept of what it printed, or so many of its last lines. */
  async logs(name: string, options: CallOptions & { lines?: number } = {}): Promise<string> {
    const path = at("sandboxes", this.#sandbox, "services", name, "logs");
    const decoder = new TextDecoder();
    let text = "";
    for await (const event of this.#client.lines<{ data?: string }>(path, { query: { lines: options.lines }, ...signalOf(options) })) {
      text += decoder.decode(Uint8Array.from(atob(event.data ?? ""), (character) => character.charCodeAt(0)), { stream: true });
    }
    return text + decoder.decode();
  }

  async #ask<T>(method: string, parts: string[], options: CallOptions, json?: unknown): Promise<T> {
    return fromWire(await this.#client.ask(method, at("sandboxes", this.#sandbox, "services", ...parts), { json, idleMillis: PATIENT, ...signalOf(options) })) as T;
  }
}
