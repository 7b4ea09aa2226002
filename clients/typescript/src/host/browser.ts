/** What a client needs of its machine, where that is a browser: the daemon must be named, and there are no local files. */
import { DaemonUnreachableError, InvalidRequestError } from "../errors.js";
import type { ConnectionOptions, HostAnswer, HostRequest, Progress, Target } from "../host.js";

export function findDaemon(options: ConnectionOptions): Promise<Target> {
  if (options.url === undefined || !/^https?:/.test(options.url)) {
    const shown = options.url === undefined ? "none" : options.url;
    return Promise.reject(new InvalidRequestError("invalid_request", `url: ${shown} (expected: http://HOST:PORT or https://HOST:PORT)`, "Give the address of the daemon."));
  }
  return Promise.resolve({ origin: new URL(options.url).origin, token: options.apiKey ?? "" });
}

export async function send(target: Target, request: HostRequest): Promise<HostAnswer> {
  let response: Response;
  try {
    const body = request.body === undefined || request.body instanceof Uint8Array ? request.body : await gathered(request.body);
    response = await fetch(target.origin + request.path, {
      method: request.method,
      headers: { ...request.headers },
      body: body === undefined ? null : new Blob([body as Uint8Array<ArrayBuffer>]),
      signal: request.signal ?? null,
    });
  } catch (problem) {
    throw failure(target, request, problem);
  }
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, body: chunks(target, request, response) };
}

async function* chunks(target: Target, request: HostRequest, response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    return;
  }
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      yield part.value;
    }
  } catch (problem) {
    throw failure(target, request, problem);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function gathered(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: BlobPart[] = [];
  for await (const part of body) {
    parts.push(part as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function failure(target: Target, request: HostRequest, problem: unknown): unknown {
  return request.signal?.aborted
    ? request.signal.reason
    : new DaemonUnreachableError(`The daemon does not answer at ${target.origin}: ${problem instanceof Error ? problem.message : String(problem)}`, "Check that it runs and that it has this page's host among its `host_names`.", { cause: problem });
}

export function pack(_directory: string, _progress?: Progress): AsyncIterable<Uint8Array> {
  throw noFiles();
}

export function unpack(_archive: AsyncIterable<Uint8Array>, _directory: string, _progress?: Progress): Promise<void> {
  return Promise.reject(noFiles());
}

function noFiles(): Error {
  return new InvalidRequestError("invalid_request", "There are no local directories in a browser", "Write and read single files.");
}
