/** What went wrong: a stable `code`, a message that says what happened, and a `hint` that says what to do. Its class follows from its code. */
export class SandglassError extends Error {
  /** The same for the same kind of trouble in every version, such as `sandbox_not_found`. */
  readonly code: string;
  /** What to do about it. */
  readonly hint: string;
  /** Seconds after which the same may work, if the daemon said so. */
  readonly retryAfter: number | undefined;

  constructor(code: string, message: string, hint: string, options: ErrorOptions & { retryAfter?: number } = {}) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.hint = hint;
    this.retryAfter = options.retryAfter;
  }
}

/** What was asked for is not understood, or exceeds what can be asked for. */
export class InvalidRequestError extends SandglassError {}

/** The daemon does not let this caller in, or not from there. */
export class AccessDeniedError extends SandglassError {}

/** What is named is not there. */
export class NotFoundError extends SandglassError {}

/** There is no sandbox of that name or id (any more). */
export class SandboxNotFoundError extends NotFoundError {}

/** There is no snapshot of that name or id (any more). */
export class SnapshotNotFoundError extends NotFoundError {}

/** There is no command with that id, or it ended long ago. */
export class CommandNotFoundError extends NotFoundError {}

/** There is no file of that name in the sandbox. */
export class PathNotFoundError extends NotFoundError {}

/** What was asked for contradicts how things are now. */
export class ConflictError extends SandglassError {}

/** Something has that name already. */
export class NameTakenError extends ConflictError {}

/** The sandbox is stopped or paused, and its use does not wake it. */
export class SandboxNotRunningError extends ConflictError {}

/** A process holds something that cannot be captured with its memory; the message names both. */
export class SnapshotBlockedError extends ConflictError {}

/** More than a limit allows. Where it passes by itself, `retryAfter` tells when to try again. */
export class LimitReachedError extends SandglassError {}

/** There is no room: on a disk, or among what snapshots may take. */
export class OutOfSpaceError extends SandglassError {}

/** No daemon answers there, or the connection to it broke. */
export class DaemonUnreachableError extends SandglassError {
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super("daemon_unreachable", message, hint, options);
  }
}

/** A command that was run with `check` did not end with 0. */
export class CommandFailedError<Result extends { exitCode: number; stderr: string } = { exitCode: number; stdout: string; stderr: string }> extends SandglassError {
  /** How it ended, and what it printed until then. */
  readonly result: Result;

  constructor(result: Result) {
    const said = result.stderr.trimEnd().split("\n").pop() ?? "";
    super("command_failed", `The command ended with ${result.exitCode}${said === "" ? "" : `: ${said}`}`, "Look at `result` for what it printed, or run it without `check`.");
    this.result = result;
  }
}

type ErrorClass = new (code: string, message: string, hint: string, options?: ErrorOptions & { retryAfter?: number }) => SandglassError;

const BY_CODE: Readonly<Record<string, ErrorClass>> = {
  invalid_request: InvalidRequestError,
  malformed_request: InvalidRequestError,
  method_not_allowed: InvalidRequestError,
  too_large: InvalidRequestError,
  unsupported_media_type: InvalidRequestError,
  unauthorized: AccessDeniedError,
  forbidden_host: AccessDeniedError,
  forbidden_origin: AccessDeniedError,
  sandbox_not_found: SandboxNotFoundError,
  snapshot_not_found: SnapshotNotFoundError,
  command_not_found: CommandNotFoundError,
  path_not_found: PathNotFoundError,
  name_taken: NameTakenError,
  sandbox_not_running: SandboxNotRunningError,
  snapshot_blocked: SnapshotBlockedError,
  limit_reached: LimitReachedError,
  rate_limited: LimitReachedError,
  disk_full: OutOfSpaceError,
  snapshot_quota_reached: OutOfSpaceError,
};

/** An error as the API tells it. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** The error of the class that fits; one that a newer daemon may tell is a {@link SandglassError}. */
export function errorOf(problem: Problem, status = 0, retryAfter?: string): SandglassError {
  const fitting = Object.hasOwn(BY_CODE, problem.code) ? BY_CODE[problem.code] : undefined;
  const Class = fitting ?? (status === 404 || problem.code.endsWith("_not_found") ? NotFoundError : status === 409 ? ConflictError : SandglassError);
  return new Class(problem.code, problem.message, problem.hint, retryAfter === undefined ? {} : { retryAfter: Number(retryAfter) });
}

/** The error that an answer of the daemon stands for. */
export function errorOfAnswer(status: number, body: string, retryAfter?: string): SandglassError {
  let problem: unknown;
  try {
    problem = JSON.parse(body);
  } catch {
    problem = undefined;
  }
  return isProblem(problem)
    ? errorOf(problem, status, retryAfter)
    : new SandglassError("internal", `The server answered ${status} without saying why`, "Check that the address is that of a Sandglass daemon.");
}

function isProblem(value: unknown): value is Problem {
  const fields = value as Partial<Problem> | null;
  return typeof fields === "object" && fields !== null && typeof fields.code === "string" && typeof fields.message === "string" && typeof fields.hint === "string";
}
