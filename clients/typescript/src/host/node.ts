/** What a client needs of its machine, where that is Node or something like it. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { AccessDeniedError, DaemonUnreachableError, InvalidRequestError } from "../errors.js";
import type { ConnectionOptions, HostAnswer, HostRequest, Target } from "../host.js";

export { pack, unpack } from "./directory.js";

const STANDARD_DATA = "/var/lib/sandglass";
const STANDARD_RUN = "/run/sandglass";
/** The daemon ends connections on which nothing was said for a minute. */
const FREE_MILLIS = 30_000;

const plain = new http.Agent({ keepAlive: true, timeout: FREE_MILLIS });
const secure = new https.Agent({ keepAlive: true, timeout: FREE_MILLIS });

/** By the options, then SANDGLASS_URL with SANDGLASS_API_KEY, then the socket and token file of this machine. */
export async function findDaemon(options: ConnectionOptions): Promise<Target> {
  const { url, token } = { url: options.url ?? (options.dataDir === undefined ? variable("SANDGLASS_URL") : ""), token: options.apiKey };
  const dataDir = path.resolve(options.dataDir ?? (variable("SANDGLASS_DATA_DIR") || STANDARD_DATA));
  const given = options.dataDir === undefined ? variable("SANDGLASS_RUN_DIR") : "";
  const key = token ?? (variable("SANDGLASS_API_KEY") || (await tokenFile(dataDir)));
  if (url === "") {
    return { origin: "http://localhost", socketPath: path.join(given || runDir(dataDir), "sandglass.sock"), token: key };
  }
  const parsed = parse(url);
  return parsed.protocol === "unix:" ? { origin: "http://localhost", socketPath: decodeURIComponent(parsed.pathname), token: key } : { origin: parsed.origin, token: key };
}

function variable(name: string): string {
  return process.env[name] ?? "";
}

/** Each data directory has a run directory of its own; the daemon reckons the same. */
function runDir(dataDir: string): string {
  return dataDir === STANDARD_DATA ? STANDARD_RUN : `${STANDARD_RUN}-${createHash("sha256").update(dataDir).digest("hex").slice(0, 8)}`;
}

function parse(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["http:", "https:", "unix:"].includes(parsed.protocol)) {
    throw new InvalidRequestError("invalid_request", `url: ${url} (expected: http://HOST:PORT, https://HOST:PORT or unix:///PATH)`, "Check `url` or SANDGLASS_URL.");
  }
  return parsed;
}

async function tokenFile(dataDir: string): Promise<string> {
  const named = variable("SANDGLASS_TOKEN_FILE");
  const file = named || path.join(dataDir, "token");
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (problem) {
    if (named === "" && code(problem) === "ENOENT") {
      return "";
    }
    throw new AccessDeniedError("unauthorized", `The token file ${file} cannot be read: ${message(problem)}`, "Run as the user who owns it (root), or set SANDGLASS_API_KEY.", { cause: problem });
  }
}

/** Sends a request and returns when the head of the answer is there. */
export async function send(target: Target, request: HostRequest): Promise<HostAnswer> {
  try {
    return answer(target, request, await exchange(target, request));
  } catch (problem) {
    if (!(problem instanceof Stale)) {
      throw failure(target, request, problem);
    }
  }
  try {
    return answer(target, request, await exchange(target, request, true));
  } catch (problem) {
    throw failure(target, request, problem);
  }
}

/** The daemon had closed the connection when the request went out on it; the same again is no other request. */
class Stale extends Error {}

/** Whether the same request, sent twice, does the same as once. */
function isRepeatable(request: HostRequest): boolean {
  const once = ["GET", "PUT", "DELETE"].includes(request.method) || request.headers["Idempotency-Key"] !== undefined;
  return once && (request.body === undefined || request.body instanceof Uint8Array);
}

function exchange(target: Target, request: HostRequest, fresh = false): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const tls = target.origin.startsWith("https:");
    const agent = fresh ? false : tls ? secure : plain;
    const options: https.RequestOptions = { method: request.method, headers: { ...request.headers }, agent, path: request.path };
    if (target.socketPath !== undefined) {
      options.socketPath = target.socketPath;
    }
    if (request.signal !== undefined) {
      options.signal = request.signal;
    }
    const sent = (tls ? https : http).request(target.origin, options);
    sent.setTimeout(request.idleMillis, () => sent.destroy(new Error(`it has said nothing for ${request.idleMillis / 1000} s`)));
    sent.on("response", resolve);
    if (request.body === undefined || request.body instanceof Uint8Array) {
      sent.on("error", (problem) => reject(sent.reusedSocket && ["ECONNRESET", "EPIPE"].includes(String(code(problem))) && isRepeatable(request) ? new Stale() : problem));
      sent.end(request.body);
    } else {
      const source = new Source(request.body);
      sent.on("error", (problem) => reject(source.failure ?? problem));
      // One who answers before all is sent wants no more: then the answer tells, and not that sending failed.
      pipeline(source, sent).catch((problem: unknown) => {
        sent.destroy();
        reject(source.failure ?? problem);
      });
    }
  });
}

/** What is sent, and how it failed if that was its own fault. */
class Source {
  failure: SourceFailure | undefined;
  readonly #bytes: AsyncIterable<Uint8Array>;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#bytes;
    } catch (problem) {
      this.failure = new SourceFailure("what was to be sent could not be read", { cause: problem });
      throw problem;
    }
  }
}

class SourceFailure extends Error {}

function answer(target: Target, request: HostRequest, response: http.IncomingMessage): HostAnswer {
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* response;
    } catch (problem) {
      throw failure(target, request, problem);
    }
  }
  return {
    status: response.statusCode ?? 0,
    header: (name) => {
      const value = response.headers[name];
      return typeof value === "string" ? value : undefined;
    },
    body: body(),
  };
}

function failure(target: Target, request: HostRequest, problem: unknown): unknown {
  if (request.signal?.aborted) {
    return request.signal.reason;
  }
  if (problem instanceof SourceFailure) {
    return problem.cause;
  }
  const where = target.socketPath ?? target.origin;
  const options = { cause: problem };
  switch (code(problem)) {
    case "EACCES":
      return new DaemonUnreachableError(`The socket ${where} may not be used by this user`, "Run as root (sudo), or set SANDGLASS_URL.", options);
    case "ECONNREFUSED":
    case "ENOENT":
      return new DaemonUnreachableError(`The daemon does not answer at ${where}`, "Start it with `sandglass up`.", options);
    default:
      return new DaemonUnreachableError(`The connection to the daemon at ${where} broke: ${message(problem)}`, "Start it with `sandglass up` if it does not run.", options);
  }
}

function code(problem: unknown): unknown {
  return typeof problem === "object" && problem !== null ? (problem as { code?: unknown }).code : undefined;
}

function message(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}
