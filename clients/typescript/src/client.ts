import { findDaemon, send } from "#host";
import { DaemonUnreachableError, InvalidRequestError, SandglassError, errorOfAnswer } from "./errors.js";
import type { ConnectionOptions, HostAnswer, HostRequest, Target } from "./host.js";

/** A daemon that sends nothing for so long is taken for dead; the slowest operations are well below. */
const IDLE_MILLIS = 180_000;
/** For what goes on until the caller has enough. */
export const PATIENT = 0;
const MOST_ANSWER = 256 << 20;
const MOST_LINE = 8 << 20;
const MOST_PROBLEM = 1 << 20;

/** What every call takes. */
export interface CallOptions {
  /** Ends the wait for the answer, with the signal's reason. */
  signal?: AbortSignal;
}

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

/** What may be sent as the content of a file or as input. */
export type Data = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface AskOptions extends CallOptions {
  query?: Query;
  headers?: Record<string, string>;
  json?: unknown;
  bytes?: Uint8Array | AsyncIterable<Uint8Array>;
  type?: string;
  idleMillis?: number;
  /** Whether the daemon is to do it once, also if it hears of it twice. */
  once?: boolean;
}

/** The path of something in the API, every part percent-encoded. */
export function at(...parts: string[]): string {
  if (parts.includes("")) {
    throw new InvalidRequestError("invalid_request", "An empty text names nothing", "Give a name or an id.");
  }
  return `/v1/${parts.map(encodeURIComponent).join("/")}`;
}

/** Requests to one daemon. */
export class Client {
  readonly target: Target;

  private constructor(target: Target) {
    this.target = target;
  }

  static async find(options: ConnectionOptions = {}): Promise<Client> {
    return new Client(await findDaemon(options));
  }

  /** The answer to a request, which is JSON. */
  async ask<T>(method: string, path: string, options: AskOptions = {}): Promise<T> {
    const answer = await this.open(method, path, options);
    const text = await textOf(answer.body, MOST_ANSWER);
    try {
      return (text === "" ? undefined : JSON.parse(text)) as T;
    } catch (problem) {
      throw new SandglassError("internal", "The server answered what is no JSON", "Check that the address is that of a Sandglass daemon.", { cause: problem });
    }
  }

  /** The answer to a request, whose body is for the caller to read. */
  async open(method: string, path: string, options: AskOptions = {}): Promise<HostAnswer> {
    options.signal?.throwIfAborted();
    const headers: Record<string, string> = { ...options.headers };
    if (this.target.token !== "") {
      headers["Authorization"] = `Bearer ${this.target.token}`;
    }
    if (options.once === true) {
      headers["Idempotency-Key"] = crypto.randomUUID();
    }
    let body = options.bytes;
    if (options.json !== undefined) {
      body = new TextEncoder().encode(JSON.stringify(options.json));
      headers["Content-Type"] = "application/json";
    } else if (body !== undefined) {
      headers["Content-Type"] = options.type ?? "application/octet-stream";
    }
    if (body instanceof Uint8Array) {
      headers["Content-Length"] = String(body.byteLength);
    }
    const request: HostRequest = {
      method,
      path: path + queryText(options.query ?? {}),
      headers,
      idleMillis: options.idleMillis ?? IDLE_MILLIS,
      ...(body === undefined ? {} : { body }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    };
    const answer = await send(this.target, request);
    if (answer.status < 200 || answer.status > 299) {
      throw errorOfAnswer(answer.status, await textOf(answer.body, MOST_PROBLEM), answer.header("retry-after"));
    }
    return answer;
  }

  /** An answer of one JSON value per line, as they come. */
  async *lines<T>(path: string, options: AskOptions = {}): AsyncGenerator<T> {
    const answer = await this.open("GET", path, { ...options, idleMillis: PATIENT });
    const decoder = new TextDecoder();
    let rest = "";
    for await (const part of answer.body) {
      const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MOST_LINE) {
        throw new DaemonUnreachableError(`The answer has a line of more than ${MOST_LINE} characters`, "Check that the address is that of a Sandglass daemon.");
      }
      for (const line of lines) {
        if (line !== "") {
          yield JSON.parse(line) as T;
        }
      }
    }
  }
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : (Array.isArray(value) ? value : [value]).map((each) => `${name}=${encodeURIComponent(String(each))}`),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** All of a body, refused when it is longer than that. */
export async function bytesOf(body: AsyncIterable<Uint8Array>, most = Number.MAX_SAFE_INTEGER): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > most) {
      throw new DaemonUnreachableError(`The answer is longer than ${most} bytes`, "Check that the address is that of a Sandglass daemon.");
    }
    parts.push(part);
  }
  const all = new Uint8Array(length);
  let from = 0;
  for (const part of parts) {
    all.set(part, from);
    from += part.length;
  }
  return all;
}

async function textOf(body: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  return new TextDecoder().decode(await bytesOf(body, most));
}

/** Data in the form that is sent: all of it, or as it comes. */
export function sendable(data: Data): Uint8Array | AsyncIterable<Uint8Array> {
  if (typeof data === "string") {
    return new TextEncoder().encode(data);
  }
  if (data instanceof Uint8Array) {
    return data;
  }
  if (data instanceof ArrayBuffer) {
    return new Uint8Array(data);
  }
  if (data instanceof Blob) {
    return iterable(data.stream());
  }
  return data instanceof ReadableStream ? iterable(data) : data;
}

/** Not every browser lets a stream be iterated over. */
async function* iterable(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      yield part.value;
    }
  } finally {
    await reader.cancel();
  }
}
