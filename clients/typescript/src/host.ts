/** A daemon to talk to. */
export interface Target {
  /** `http://HOST:PORT` or `https://HOST:PORT`; of a unix socket what stands in the Host header. */
  readonly origin: string;
  /** The unix socket, if it is one. */
  readonly socketPath?: string;
  /** Empty is none. */
  readonly token: string;
}

/** Which daemon to talk to, if it is not the one that the environment names or that runs on this machine. */
export interface ConnectionOptions {
  /** `http://HOST:PORT`, `https://HOST:PORT` or `unix:///PATH`. */
  url?: string;
  /** The daemon's token. */
  apiKey?: string;
  /** The data directory of a daemon on this machine; its socket and token are found by it. */
  dataDir?: string;
}

/** What goes to a daemon. */
export interface HostRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** After so many milliseconds without a byte the daemon is taken for dead; 0 is never. */
  readonly idleMillis: number;
}

/** What comes back. */
export interface HostAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/** How far a transfer is: bytes that are through, and how many there are, if that is known beforehand. */
export type Progress = (done: number, total?: number) => void;
