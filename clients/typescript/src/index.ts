/** Sandglass from TypeScript and JavaScript: sandboxes that can be frozen, copied and turned back in time. */
export type { CallOptions, Data } from "./client.js";
export { CommandHandle, Commands, type CommandInfo, type CommandLine, type RunOptions } from "./commands.js";
export {
  AccessDeniedError,
  CommandFailedError,
  CommandNotFoundError,
  ConflictError,
  DaemonUnreachableError,
  InvalidRequestError,
  LimitReachedError,
  NameTakenError,
  NotFoundError,
  OutOfSpaceError,
  PathNotFoundError,
  SandboxNotFoundError,
  SandboxNotRunningError,
  SandglassError,
  SnapshotBlockedError,
  SnapshotNotFoundError,
} from "./errors.js";
export { type EntryInfo, type FileOptions, Files, type ReadOptions, type WatchEvent, type WatchHandle, type WriteOptions } from "./files.js";
export type { ConnectionOptions, Progress } from "./host.js";
export type { SandboxInfo, SandboxState, SnapshotInfo } from "./info.js";
export { Network, type NetworkAttempt, type NetworkPolicy } from "./network.js";
export type { CommandResult, EndReason, OutputOptions } from "./output.js";
export { Paginator } from "./paginator.js";
export { Pty, PtyHandle, type PtyOptions } from "./pty.js";
export type { Attempt, RaceBranch, RaceOptions, RaceResult } from "./race.js";
export { type RouteInfo, type RouteLink, type RouteOptions, Routes } from "./routes.js";
export { type CreateOptions, type DaemonOptions, type ForkOptions, Sandbox, type SnapshotOptions } from "./sandbox.js";
export { type ServiceInfo, type ServiceOptions, Services } from "./services.js";
export { SandboxVolumes, Volume, type VolumeInfo, type VolumeMount, type VolumeOptions } from "./volumes.js";
