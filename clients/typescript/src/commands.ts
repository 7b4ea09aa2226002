import { type CallOptions, type Client, type Data, PATIENT, at, sendable } from "./client.js";
import { SandglassError } from "./errors.js";
import { type CommandResult, type Exit, MOST_OUTPUT, type OutputOptions, checked, follow, gather, result } from "./output.js";
import { argv, fromWire, toWire } from "./wire.js";

/** A line for the login shell, or a program and its arguments. */
export type CommandLine = string | readonly string[];

/** How a command is run. */
export interface RunOptions extends CallOptions, OutputOptions {
  /** Environment variables beside those of the sandbox. */
  envs?: Record<string, string>;
  /** Where it runs; the user's home if absent. */
  cwd?: string;
  /** Name, uid, name:group or uid:gid; that of the sandbox, or root, if absent. */
  user?: string;
  /** Seconds after which it is killed; never if absent. */
  timeout?: number;
  /** What it reads, or whether it can be written to, with `background`. It reads the end at once if absent. */
  stdin?: boolean | Data;
  /** Throws a {@link CommandFailedError} if it does not end with 0. */
  check?: boolean;
  /** Returns a handle when it runs, and does not wait for its end. */
  background?: boolean;
}

/** A command that runs, or has ended and is still known. */
export interface CommandInfo {
  commandId: string;
  argv: string[];
  cwd?: string;
  user?: string;
  pty?: boolean;
  state: "running" | "exited";
  /** As seen inside the sandbox. */
  pid: number;
  startedAt: Date;
  /** If it has ended. */
  exitCode?: number;
}

interface WireCommand {
  id: string;
  pid: number;
  exit?: Exit;
}

/** The commands of a sandbox. */
export class Commands {
  readonly #client: Client;
  readonly #sandbox: string;

  constructor(client: Client, sandbox: string) {
    this.#client = client;
    this.#sandbox = sandbox;
  }

  run(command: CommandLine, options: RunOptions & { background: true }): Promise<CommandHandle>;
  run(command: CommandLine, options?: RunOptions & { background?: false }): Promise<CommandResult>;
  /** Runs a command to its end, or with `background` starts it. How it ends is no error unless `check` is set. */
  async run(command: CommandLine, options: RunOptions = {}): Promise<CommandResult | CommandHandle> {
    const told = options.onStdout !== undefined || options.onStderr !== undefined;
    const fed = options.stdin !== undefined && options.stdin !== false;
    if (options.background === true || told || fed) {
      const handle = await this.#start(command, options, fed, told || options.background !== true);
      const input = fed && options.stdin !== true ? handle.sendStdin(options.stdin as Data, { end: true }).catch(ignoreEnded) : undefined;
      input?.catch(() => undefined); // told to whoever waits for the end
      return options.background === true ? handle : this.#finish(handle, input, options);
    }
    const answer = await this.#client.ask<{ exit: Exit; stdout: string; stderr: string; stdout_truncated: boolean; stderr_truncated: boolean }>(
      "POST",
      at("sandboxes", this.#sandbox, "commands", "run"),
      { json: { ...request(command, options), output_limit: MOST_OUTPUT }, idleMillis: PATIENT, ...signalOf(options) },
    );
    return checked(result(answer.exit, answer.stdout, answer.stderr, answer.stdout_truncated || answer.stderr_truncated), options.check);
  }

  /** Those that run, and the finished ones that are still kept, oldest first. */
  async list(options: CallOptions = {}): Promise<CommandInfo[]> {
    const answer = await this.#client.ask<{ commands: WireCommand[] }>("GET", at("sandboxes", this.#sandbox, "commands"), signalOf(options));
    return answer.commands.map(infoOf);
  }

  /** One that was started before, by this program or another. */
  async connect(commandId: string, options: CallOptions & OutputOptions = {}): Promise<CommandHandle> {
    const found = await this.#client.ask<WireCommand>("GET", at("sandboxes", this.#sandbox, "commands", commandId), signalOf(options));
    return new CommandHandle(this.#client, this.#sandbox, found, options);
  }

  /** Sends a signal to a command and all that it started; false if it has ended already. */
  kill(commandId: string, name = "KILL", options: CallOptions = {}): Promise<boolean> {
    return sendSignal(this.#client, this.#sandbox, commandId, name, options);
  }

  async #start(command: CommandLine, options: RunOptions, stdin: boolean, hold: boolean): Promise<CommandHandle> {
    const begun = await this.#client.ask<WireCommand>("POST", at("sandboxes", this.#sandbox, "commands"), {
      json: { ...request(command, options), stdin, hold },
      ...signalOf(options),
    });
    return new CommandHandle(this.#client, this.#sandbox, begun, options);
  }

  /** A caller who no longer wants it wants it ended. */
  async #finish(handle: CommandHandle, input: Promise<void> | undefined, options: RunOptions): Promise<CommandResult> {
    try {
      const [ended] = await Promise.all([handle.wait(options), input]);
      return ended;
    } catch (problem) {
      if (options.signal?.aborted === true) {
        await handle.kill().catch(() => undefined);
      }
      throw problem;
    }
  }
}

/** A command that was started and goes on by itself, also when this program ends. */
export class CommandHandle {
  readonly commandId: string;
  /** As seen inside the sandbox. */
  readonly pid: number;
  protected readonly client: Client;
  protected readonly sandbox: string;
  #waiting: Promise<CommandResult> | undefined;

  constructor(client: Client, sandbox: string, command: WireCommand, options: OutputOptions = {}) {
    this.client = client;
    this.sandbox = sandbox;
    this.commandId = command.id;
    this.pid = command.pid;
    if (options.onStdout !== undefined || options.onStderr !== undefined) {
      this.#waiting = gather(follow(client, sandbox, command.id), options);
      this.#waiting.catch(() => undefined); // told to whoever waits
    }
  }

  /** Waits for its end. What it printed before is in the result too, as far as it is kept. */
  async wait(options: CallOptions & OutputOptions & { check?: boolean } = {}): Promise<CommandResult> {
    const running = this.#waiting ?? gather(follow(this.client, this.sandbox, this.commandId, options.signal), options);
    const ended = await (options.signal === undefined ? running : unlessAborted(running, options.signal));
    return checked(ended, options.check);
  }

  /** Sends a signal to it and all that it started; false if it has ended already. */
  kill(name = "KILL", options: CallOptions = {}): Promise<boolean> {
    return sendSignal(this.client, this.sandbox, this.commandId, name, options);
  }

  /** Writes to its standard input; waits while the command does not take it. */
  async sendStdin(data: Data, options: CallOptions & { end?: boolean } = {}): Promise<void> {
    await this.client.ask("POST", at("sandboxes", this.sandbox, "commands", this.commandId, "stdin"), {
      query: { end: options.end ?? false },
      bytes: sendable(data),
      idleMillis: PATIENT,
      ...signalOf(options),
    });
  }

  /** Tells it that no more input comes. */
  closeStdin(options: CallOptions = {}): Promise<void> {
    return this.sendStdin(new Uint8Array(), { ...options, end: true });
  }
}

/** Of all options those that a request is made with. */
export function signalOf(options: CallOptions): CallOptions {
  return options.signal === undefined ? {} : { signal: options.signal };
}

/** What is common to all ways to start a command. */
export function request(command: CommandLine, options: Pick<RunOptions, "envs" | "cwd" | "user" | "timeout">): object {
  return toWire({
    argv: argv(command),
    env: options.envs,
    cwd: options.cwd,
    user: options.user,
    timeoutMs: options.timeout === undefined ? undefined : Math.max(1, Math.ceil(options.timeout * 1000)),
  });
}

function infoOf(command: WireCommand): CommandInfo {
  const { id, exit, ...rest } = command;
  return { commandId: id, ...(fromWire(rest) as Omit<CommandInfo, "commandId">), ...(exit === undefined ? {} : { exitCode: result(exit, "", "", false).exitCode }) };
}

async function sendSignal(client: Client, sandbox: string, command: string, name: string, options: CallOptions): Promise<boolean> {
  try {
    await client.ask("POST", at("sandboxes", sandbox, "commands", command, "signal"), { json: { signal: name }, ...signalOf(options) });
    return true;
  } catch (problem) {
    if (problem instanceof SandglassError && problem.code === "command_ended") {
      return false;
    }
    throw problem;
  }
}

/** As a shell has it: input that a command did not read before its end is dropped, and its own status tells. */
function ignoreEnded(problem: unknown): void {
  if (!(problem instanceof SandglassError && ["command_ended", "stdin_closed"].includes(problem.code))) {
    throw problem;
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) {
      abort();
    }
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
