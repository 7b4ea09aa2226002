import type { CallOptions } from "./client.js";
import { type CommandLine, signalOf } from "./commands.js";
import type { Sandbox } from "./sandbox.js";

/** What each copy tries: a command, or a function that gets the copy and its number, and fails by throwing or with `false`. */
export type Attempt = CommandLine | ((copy: Sandbox, branch: number) => unknown);

/** How copies race. */
export interface RaceOptions extends CallOptions {
  /** How many try; 2 if absent. */
  count?: number;
  /** Their name, with -1, -2 and so on. */
  name?: string;
  /** A line of shell that prints a number in each copy that succeeded: the highest wins. Without it the first success does. */
  score?: CommandLine;
  /** Seconds after which the command is killed. */
  timeout?: number;
  envs?: Record<string, string>;
}

/** One of the copies. */
export interface RaceBranch {
  /** Its number, from 1, which it finds in SANDGLASS_BRANCH. */
  branch: number;
  sandboxId: string;
  name: string;
  /** `beaten`: another had won before it ended. */
  outcome: "succeeded" | "failed" | "beaten";
  exitCode?: number;
  score?: number;
  /** How long it took. */
  ms: number;
  stdout: string;
  stderr: string;
  kept: boolean;
}

/** How a race ended. */
export interface RaceResult {
  /** The copy that was kept; undefined if none succeeded. */
  winner: Sandbox | undefined;
  branches: RaceBranch[];
}

/** Lets copies try something at once, keeps the best of them and destroys the others. */
export async function race(copies: Sandbox[], what: Attempt, options: RaceOptions): Promise<RaceResult> {
  const branches = copies.map<RaceBranch>((copy, index) => ({
    branch: index + 1,
    sandboxId: copy.sandboxId,
    name: copy.name,
    outcome: "beaten",
    ms: 0,
    stdout: "",
    stderr: "",
    kept: false,
  }));
  const begun = performance.now();
  let winner: Sandbox | undefined;
  try {
    const tries = copies.map((copy, index) => attempt(copy, branches[index] as RaceBranch, what, options));
    if (options.score === undefined) {
      winner = await Promise.any(tries.map(async (each, index) => ((await each) ? (copies[index] as Sandbox) : Promise.reject(new Error("it failed"))))).catch(() => undefined);
    } else {
      await Promise.all(tries);
      const best = branches.filter((each) => each.score !== undefined).sort((one, other) => (other.score ?? 0) - (one.score ?? 0))[0];
      winner = best === undefined ? undefined : copies[best.branch - 1];
    }
    options.signal?.throwIfAborted();
    await Promise.all(winner === undefined ? tries : []);
    return { winner, branches: branches.map((each) => ({ ...each, ms: each.ms || since(begun), kept: each.sandboxId === winner?.sandboxId })) };
  } finally {
    const kept = options.signal?.aborted === true ? undefined : winner;
    await Promise.all(copies.filter((copy) => copy !== kept).map((copy) => copy.kill()));
  }
}

/** Whether it succeeded. What keeps a copy from trying is a failure of that copy alone. */
async function attempt(copy: Sandbox, branch: RaceBranch, what: Attempt, options: RaceOptions): Promise<boolean> {
  const begun = performance.now();
  const how = { envs: { ...options.envs, SANDGLASS_BRANCH: String(branch.branch) }, timeout: options.timeout, ...signalOf(options) };
  try {
    if (typeof what === "function") {
      branch.outcome = (await what(copy, branch.branch)) === false ? "failed" : "succeeded";
    } else {
      const { exitCode, stdout, stderr } = await copy.commands.run(what, how);
      Object.assign(branch, { exitCode, stdout, stderr, outcome: exitCode === 0 ? "succeeded" : "failed" });
    }
    if (branch.outcome === "succeeded" && options.score !== undefined) {
      const scored = await copy.commands.run(options.score, how);
      const score = scored.stdout.trim() === "" ? Number.NaN : Number(scored.stdout);
      if (scored.exitCode === 0 && Number.isFinite(score)) {
        branch.score = score;
      }
    }
  } catch (problem) {
    branch.outcome = "failed";
    branch.stderr = problem instanceof Error ? problem.message : String(problem);
  }
  branch.ms = since(begun);
  return branch.outcome === "succeeded";
}

function since(begun: number): number {
  return Math.round(performance.now() - begun);
}
