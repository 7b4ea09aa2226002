import { type CallOptions, type Client, at } from "./client.js";
import { signalOf } from "./commands.js";
import { fromWire, toWire } from "./wire.js";

/** How a route lets in. */
export interface RouteOptions extends CallOptions {
  /** Whether it lets in whoever asks; private if absent. */
  public?: boolean;
  /** Of a private one; one is drawn if absent, and told once. */
  secret?: string;
  methods?: string[];
  /** Only paths below it. */
  pathPrefix?: string;
  /** What stands in the prefix's place for the sandbox. */
  rewrite?: string;
  /** Seconds until the first byte of an answer; 60 if absent. */
  timeout?: number;
  /** Whether a request wakes the sandbox when it is paused and lets itself be woken. */
  resume?: boolean;
  websocket?: boolean;
}

/** An entry for HTTP requests from outside to a port of a sandbox. */
export interface RouteInfo {
  name: string;
  port: number;
  access: "private" | "public";
  /** Where it is, by path. */
  url: string;
  /** Where it is, by host name. */
  hostUrl: string;
  methods: string[];
  pathPrefix: string;
  timeout: number;
  resume: boolean;
  createdAt: Date;
  /** The one that was drawn for it, when it is made and never again. */
  secret?: string;
  warnings?: string[];
}

/** A URL that lets in until it expires, whoever has it. */
export interface RouteLink {
  url: string;
  hostUrl: string;
  expiresAt: Date;
}

/** The routes of a sandbox. */
export class Routes {
  readonly #client: Client;
  readonly #sandbox: string;

  constructor(client: Client, sandbox: string) {
    this.#client = client;
    this.#sandbox = sandbox;
  }

  /** Lets requests in to a port. */
  create(name: string, port: number, options: RouteOptions = {}): Promise<RouteInfo> {
    const { public: open, signal: _, ...rest } = options;
    return this.#ask("POST", [], options, toWire({ ...rest, name, port, access: open === true ? "public" : undefined }));
  }

  /** All that it has, by name. */
  async list(options: CallOptions = {}): Promise<RouteInfo[]> {
    return (await this.#ask<{ routes: RouteInfo[] }>("GET", [], options)).routes;
  }

  get(name: string, options: CallOptions = {}): Promise<RouteInfo> {
    return this.#ask("GET", [name], options);
  }

  remove(name: string, options: CallOptions = {}): Promise<void> {
    return this.#ask("DELETE", [name], options);
  }

  /** A link that lets in through a route for so many seconds, 3600 if absent. */
  link(name: string, options: CallOptions & { expires?: number } = {}): Promise<RouteLink> {
    return this.#ask("POST", [name, "link"], options, options.expires === undefined ? {} : { expires: options.expires });
  }

  /** Makes all links to it worthless. */
  unlink(name: string, options: CallOptions = {}): Promise<void> {
    return this.#ask("DELETE", [name, "link"], options);
  }

  async #ask<T>(method: string, parts: string[], options: CallOptions, json?: unknown): Promise<T> {
    return fromWire(await this.#client.ask(method, at("sandboxes", this.#sandbox, "routes", ...parts), { json, ...signalOf(options) })) as T;
  }
}
