import { type CallOptions, type Client, at } from "./client.js";
import { signalOf } from "./commands.js";
import { Paginator } from "./paginator.js";
import { fromWire } from "./wire.js";

/** What a sandbox may reach: the first rule that matches decides, such as `allow api.example.org:443`, then the preset or what holds otherwise. */
export interface NetworkPolicy {
  preset?: "none" | "open" | "package-registries";
  rules?: string[];
  otherwise?: "allow" | "deny";
}

/** Something that a sandbox tried to reach. */
export interface NetworkAttempt {
  id: number;
  at: Date;
  name?: string;
  address?: string;
  port?: number;
  verdict: "allow" | "deny";
  /** The rule that decided, or what else did. */
  why: string;
  /** What `allow` would open it with. */
  allow?: string;
  sent: number;
  received: number;
}

/** The network of a sandbox. */
export class Network {
  readonly #client: Client;
  readonly #path: string;

  constructor(client: Client, sandbox: string) {
    this.#client = client;
    this.#path = at("sandboxes", sandbox, "policy");
  }

  /** What it may reach; a `conflict` if it has no network. */
  get(options: CallOptions = {}): Promise<NetworkPolicy> {
    return this.#client.ask("GET", this.#path, signalOf(options));
  }

  /** Puts another policy in force at once, and ends connections that it forbids. */
  set(policy: NetworkPolicy | "open", options: CallOptions = {}): Promise<NetworkPolicy> {
    return this.#client.ask("PUT", this.#path, { json: typeof policy === "string" ? { preset: policy } : policy, ...signalOf(options) });
  }

  /** Lets it reach something, such as `api.example.org:443` or `@npm`, whatever other rules say. */
  allow(what: string, options: CallOptions = {}): Promise<NetworkPolicy> {
    return this.#rule(`allow ${what}`, options);
  }

  /** Keeps it from something, whatever other rules say. */
  deny(what: string, options: CallOptions = {}): Promise<NetworkPolicy> {
    return this.#rule(`deny ${what}`, options);
  }

  /** What it tried to reach, oldest first, page by page. */
  log(options: CallOptions & { limit?: number } = {}): Paginator<NetworkAttempt> {
    return new Paginator(async (cursor) => {
      const query = { after: cursor ?? 0, limit: options.limit };
      const page = await this.#client.ask<{ attempts: unknown[]; next: number }>("GET", `${this.#path}/log`, { query, ...signalOf(options) });
      const items = page.attempts.map((attempt) => fromWire(attempt) as NetworkAttempt);
      return { items, cursor: items.length === 0 ? undefined : String(page.next) };
    });
  }

  #rule(rule: string, options: CallOptions): Promise<NetworkPolicy> {
    return this.#client.ask("POST", `${this.#path}/rules`, { json: { rule }, ...signalOf(options) });
  }
}
