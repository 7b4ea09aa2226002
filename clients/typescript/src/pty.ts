import { type CallOptions, type Client, at } from "./client.js";
import { CommandHandle, type CommandLine, request, signalOf } from "./commands.js";
import { type CommandResult, checked, follow, result } from "./output.js";

/** How a terminal is made. */
export interface PtyOptions extends CallOptions {
  cols?: number;
  rows?: number;
  /** What runs on it; a login shell if absent. */
  command?: CommandLine;
  envs?: Record<string, string>;
  cwd?: string;
  user?: string;
  /** Seconds after which it is killed; never if absent. */
  timeout?: number;
  /** Gets what the terminal shows, as bytes. */
  onData?: (data: Uint8Array) => void;
}

/** Terminals of a sandbox. */
export class Pty {
  readonly #client: Client;
  readonly #sandbox: string;

  constructor(client: Client, sandbox: string) {
    this.#client = client;
    this.#sandbox = sandbox;
  }

  /** Starts a command on a terminal of its own. */
  async create(options: PtyOptions = {}): Promise<PtyHandle> {
    const shell = ["/bin/sh", "-c", "[ -x /bin/bash ] && exec /bin/bash -l; exec /bin/sh -l"];
    const begun = await this.#client.ask<{ id: string; pid: number }>("POST", at("sandboxes", this.#sandbox, "commands"), {
      json: { ...request(options.command ?? shell, options), pty: { cols: options.cols ?? 80, rows: options.rows ?? 24 }, hold: options.onData !== undefined },
      ...signalOf(options),
    });
    return new PtyHandle(this.#client, this.#sandbox, begun, options.onData);
  }

  /** One that was made before; what is kept of what it showed comes first. */
  async connect(commandId: string, options: CallOptions & Pick<PtyOptions, "onData"> = {}): Promise<PtyHandle> {
    const found = await this.#client.ask<{ id: string; pid: number }>("GET", at("sandboxes", this.#sandbox, "commands", commandId), signalOf(options));
    return new PtyHandle(this.#client, this.#sandbox, found, options.onData);
  }
}

/** A command on a terminal. What is typed goes in by `sendStdin`. */
export class PtyHandle extends CommandHandle {
  readonly #shown: Promise<CommandResult> | undefined;

  constructor(client: Client, sandbox: string, command: { id: string; pid: number }, onData?: (data: Uint8Array) => void) {
    super(client, sandbox, command);
    if (onData !== undefined) {
      this.#shown = this.#show(onData);
      this.#shown.catch(() => undefined); // told to whoever waits
    }
  }

  /** Waits for its end. The result has what it showed only if nothing takes that. */
  override async wait(options: CallOptions & { check?: boolean } = {}): Promise<CommandResult> {
    return this.#shown === undefined ? super.wait(options) : checked(await this.#shown, options.check);
  }

  /** Gives the terminal another size. */
  async resize(cols: number, rows: number, options: CallOptions = {}): Promise<void> {
    await this.client.ask("POST", at("sandboxes", this.sandbox, "commands", this.commandId, "resize"), { json: { cols, rows }, ...signalOf(options) });
  }

  async #show(onData: (data: Uint8Array) => void): Promise<CommandResult> {
    const output = follow(this.client, this.sandbox, this.commandId);
    for (;;) {
      const next = await output.next();
      if (next.done === true) {
        return result(next.value, "", "", false);
      }
      if ("bytes" in next.value) {
        onData(next.value.bytes);
      }
    }
  }
}
