import { type Client, at } from "./client.js";
import { CommandFailedError, DaemonUnreachableError, type Problem, SandglassError, errorOf } from "./errors.js";

/** What is kept of each kind of output in a result. */
export const MOST_OUTPUT = 16 << 20;
const TIMED_OUT = 124;
/** How long a daemon that went away is waited for: it takes up its commands again when it comes back. */
const REJOIN_MILLIS = 30_000;
const LONGEST_PAUSE = 1_000;

/** Why a command ended, where its exit code alone would puzzle. */
export type EndReason = "timeout" | "oom" | "rewound";

/** How a command ended, and what it printed. */
export interface CommandResult {
  stdout: string;
  stderr: string;
  /** As a shell has it: 128 + n for signal n; 124 when its time was over. */
  exitCode: number;
  /** Absent if it ended by itself. */
  reason?: EndReason;
  /** More about the reason, for people. */
  message?: string;
  /** Whether it printed more than is here. */
  truncated: boolean;
}

/** What takes output while it comes. */
export interface OutputOptions {
  onStdout?: (text: string) => void;
  onStderr?: (text: string) => void;
}

/** How a command ended, as the daemon tells it. */
export interface Exit {
  code: number;
  reason?: EndReason;
  message?: string;
}

interface OutputEvent {
  stream?: "stdout" | "stderr";
  offset?: number;
  data?: string;
  exit?: Exit;
  error?: Problem;
  dropped?: number;
}

export type OutputPart = { stream: "stdout" | "stderr"; bytes: Uint8Array } | { dropped: number };

/** The output of a command as it comes; returns how it ended. When the connection breaks it is made again, and nothing is told twice. */
export async function* follow(client: Client, sandbox: string, command: string, signal?: AbortSignal): AsyncGenerator<OutputPart, Exit> {
  let offset = 0;
  let pause = 0;
  let brokenAt = 0;
  for (;;) {
    try {
      const path = at("sandboxes", sandbox, "commands", command, "output");
      for await (const event of client.lines<OutputEvent>(path, { query: { follow: true, offset }, ...(signal === undefined ? {} : { signal }) })) {
        pause = 0;
        if (event.error !== undefined) {
          throw errorOf(event.error);
        }
        if (event.exit !== undefined) {
          return event.exit;
        }
        if (event.dropped !== undefined) {
          offset += event.dropped;
          yield { dropped: event.dropped };
        } else if (event.data !== undefined) {
          const bytes = fromBase64(event.data);
          offset += bytes.length;
          yield { stream: event.stream ?? "stdout", bytes };
        }
      }
      throw new DaemonUnreachableError("The connection to the daemon ended before the command did", "The command may still run: start the daemon with `sandglass up`.");
    } catch (problem) {
      const passing = problem instanceof DaemonUnreachableError || (problem instanceof SandglassError && problem.code === "shutting_down");
      brokenAt = pause === 0 ? Date.now() : brokenAt;
      if (!passing || Date.now() - brokenAt > REJOIN_MILLIS) {
        throw problem;
      }
      pause = Math.min(LONGEST_PAUSE, Math.max(20, pause * 2));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Gathers the output of a command to its end. */
export async function gather(output: AsyncGenerator<OutputPart, Exit>, options: OutputOptions): Promise<CommandResult> {
  const stdout = new Gathering(options.onStdout);
  const stderr = new Gathering(options.onStderr);
  let dropped = false;
  for (;;) {
    const next = await output.next();
    if (next.done === true) {
      return result(next.value, stdout.text(), stderr.text(), dropped || stdout.truncated || stderr.truncated);
    }
    if ("dropped" in next.value) {
      dropped = true;
    } else {
      (next.value.stream === "stderr" ? stderr : stdout).add(next.value.bytes);
    }
  }
}

export function result(exit: Exit, stdout: string, stderr: string, truncated: boolean): CommandResult {
  const ended: CommandResult = { stdout, stderr, exitCode: exit.reason === "timeout" ? TIMED_OUT : exit.code, truncated };
  if (exit.reason !== undefined) {
    ended.reason = exit.reason;
  }
  if (exit.message !== undefined) {
    ended.message = exit.message;
  }
  return ended;
}

/** Throws if it has to be 0 and is not. */
export function checked(ended: CommandResult, check: boolean | undefined): CommandResult {
  if (check === true && ended.exitCode !== 0) {
    throw new CommandFailedError(ended);
  }
  return ended;
}

class Gathering {
  truncated = false;
  readonly #told: ((text: string) => void) | undefined;
  readonly #telling = new TextDecoder();
  readonly #whole = new TextDecoder();
  readonly #texts: string[] = [];
  #length = 0;

  constructor(told: ((text: string) => void) | undefined) {
    this.#told = told;
  }

  add(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, MOST_OUTPUT - this.#length);
    this.truncated ||= kept.length < bytes.length;
    this.#length += kept.length;
    this.#texts.push(this.#whole.decode(kept, { stream: true }));
    if (this.#told !== undefined) {
      const text = this.#telling.decode(bytes, { stream: true });
      if (text !== "") {
        this.#told(text);
      }
    }
  }

  text(): string {
    return this.#texts.join("") + this.#whole.decode();
  }
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
