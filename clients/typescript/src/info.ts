import type { NetworkPolicy } from "./network.js";
import { fromWire } from "./wire.js";

/** What a sandbox is doing. */
export type SandboxState = "creating" | "running" | "stopping" | "stopped" | "starting" | "failed" | "paused" | "resuming" | "destroying" | "destroyed";

/** A sandbox as it is now. */
export interface SandboxInfo {
  sandboxId: string;
  name: string;
  state: SandboxState;
  /** Why it failed, stopped or is paused. */
  reason?: string;
  runtime: string;
  security: string;
  metadata: Record<string, string>;
  envs: Record<string, string>;
  memoryMb: number;
  cpus: number;
  diskMb: number;
  /** The snapshot whose state it last had. */
  snapshotId?: string;
  createdAt: Date;
  startedAt?: Date;
  /** When it is destroyed or paused. */
  timeoutAt?: Date;
  onTimeout?: "kill" | "pause";
  autoResume?: boolean;
  network?: NetworkPolicy;
  credentials: string[];
  volumes: { id: string; name: string; path: string; mode: string }[];
  /** What its user should know. */
  warnings: string[];
}

/** A captured state. */
export interface SnapshotInfo {
  snapshotId: string;
  /** Of which it was taken; that may be gone. Absent if it came from elsewhere. */
  sandboxId?: string;
  createdAt: Date;
  name?: string;
  /** `disk`: the filesystem. `full`: with memory and processes. */
  kind: "disk" | "full";
  state: "creating" | "ready" | "damaged" | "deleted";
  /** The snapshot whose state the sandbox last had before. */
  parent?: string;
  sandboxName: string;
  runtime: string;
  ownBytes: number;
  totalBytes: number;
  memoryBytes: number;
  /** For how long the sandbox stood still. */
  pauseMs: number;
  description: string;
  metadata: Record<string, string>;
  /** When it goes by itself. */
  expiresAt?: Date;
}

interface Named {
  id: string;
  labels: Record<string, string>;
}

export function sandboxInfo(value: unknown): SandboxInfo {
  const { id, labels, env, snapshot, ...rest } = fromWire(value) as Named & { env: Record<string, string>; snapshot?: string } & Omit<SandboxInfo, "sandboxId" | "metadata" | "envs">;
  return { sandboxId: id, metadata: labels, envs: env, ...rest, ...(snapshot === undefined ? {} : { snapshotId: snapshot }) };
}

export function snapshotInfo(value: unknown): SnapshotInfo {
  const { id, labels, ...rest } = fromWire(value) as Named & Omit<SnapshotInfo, "snapshotId" | "metadata">;
  return { snapshotId: id, metadata: labels, ...rest };
}
