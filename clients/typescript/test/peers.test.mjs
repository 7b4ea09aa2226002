// What this client makes of servers that do not do as they should, and of where it is told to look for one.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterEach, beforeEach, test } from "node:test";
import { DaemonUnreachableError, LimitReachedError, Sandbox, SandglassError } from "sandglass";
import { unpack } from "../dist/host/node.js";
import { end, header, padding } from "../dist/host/tar.js";

const INFO = JSON.stringify({ id: "sbx-000000000000", name: "box", state: "running", labels: {}, env: {} });

/** @type {http.Server} */
let server;
/** @type {string} */
let url;
/** @type {http.RequestListener} */
let answer;
/** @type {string} */
let here;
const environment = { ...process.env };

beforeEach(async () => {
  here = await mkdtemp(path.join(tmpdir(), "sandglass-"));
  answer = (_, response) => response.end(INFO);
  server = http.createServer((request, response) => answer(request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
});

afterEach(async () => {
  process.env = { ...environment };
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(here, { recursive: true });
});

/**
 * @param {number} status
 * @param {string} body
 * @param {Record<string, string>} headers
 */
function says(status, body, headers = {}) {
  answer = (_, response) => response.writeHead(status, headers).end(body);
}

test("what is no answer of a daemon is an error that says so", async () => {
  says(200, "<html>");
  await assert.rejects(Sandbox.connect("box", { url }), (problem) => problem instanceof SandglassError && problem.code === "internal");
  says(502, "<html>");
  await assert.rejects(Sandbox.connect("box", { url }), { code: "internal", message: /502/ });
  says(418, JSON.stringify({ code: "from_the_future", message: "No.", hint: "Wait." }));
  await assert.rejects(Sandbox.connect("box", { url }), { code: "from_the_future", message: "No.", hint: "Wait.", name: "SandglassError" });
  says(429, JSON.stringify({ code: "rate_limited", message: "Slow down.", hint: "Wait." }), { "Retry-After": "7" });
  await assert.rejects(Sandbox.connect("box", { url }), (problem) => problem instanceof LimitReachedError && problem.retryAfter === 7);
  answer = (request) => request.socket.destroy();
  await assert.rejects(Sandbox.connect("box", { url }), DaemonUnreachableError);
  answer = (_, response) => response.writeHead(200, { "Content-Length": "1000" }).write("{", () => response.destroy());
  await assert.rejects(Sandbox.connect("box", { url }), DaemonUnreachableError);
});

test("an answer that comes before all is sent counts, and not that sending it failed", async () => {
  const box = await Sandbox.connect("box", { url });
  answer = (_, response) => {
    response.writeHead(507, { Connection: "close" }).end(JSON.stringify({ code: "disk_full", message: "The disk is full.", hint: "Make room." }));
  };
  await assert.rejects(box.files.write("/big", new Uint8Array(64 << 20)), { code: "disk_full" });
  await assert.rejects(box.files.write("/big", new Blob([new Uint8Array(64 << 20)])), { code: "disk_full" });
  async function* broken() {
    yield new Uint8Array(1000);
    throw new Error("the source broke");
  }
  answer = (request, response) => request.resume().on("end", () => response.end("{}"));
  await assert.rejects(box.files.write("/big", broken()), /the source broke/);
});

test("what may be asked twice is, when a connection that was kept is gone", async () => {
  const box = await Sandbox.connect("box", { url });
  /** @type {string[]} */
  let asked = [];
  /** @type {<T>(work: () => Promise<T>) => Promise<T>} */
  const onKept = async (work) => {
    answer = (_, response) => response.end(INFO);
    await box.getInfo(); // whose connection is kept
    asked = [];
    answer = (request, response) => {
      asked.push(`${request.method} ${request.headers["idempotency-key"] ?? "-"}`);
      return asked.length === 1 ? request.socket.destroy() : request.resume().on("end", () => response.end(INFO));
    };
    return work();
  };
  assert.equal((await onKept(() => box.getInfo())).name, "box");
  assert.deepEqual(asked, ["GET -", "GET -"]);
  assert.equal((await onKept(() => Sandbox.create({ url }))).name, "box");
  assert.match(String(asked[0]), /^POST [0-9a-f-]{36}$/);
  assert.deepEqual(asked, [asked[0], asked[0]]);
  await assert.rejects(onKept(() => box.resume()), DaemonUnreachableError);
  assert.deepEqual(asked, ["POST -"]);
});

test("output goes on where it was when a daemon comes back", async () => {
  const box = await Sandbox.connect("box", { url });
  const data = (/** @type {string} */ text, /** @type {number} */ offset) => `${JSON.stringify({ stream: "stdout", offset, data: Buffer.from(text).toString("base64") })}\n`;
  /** @type {string[]} */
  const asked = [];
  answer = (request, response) => {
    const offset = new URL(String(request.url), url).searchParams.get("offset");
    if (request.method === "POST") {
      response.end(JSON.stringify({ id: "cmd-1", pid: 7 }));
    } else if (asked.push(String(offset)) === 1) {
      response.write(data("one ", 0), () => response.destroy());
    } else if (asked.length === 2) {
      response.writeHead(503).end(JSON.stringify({ code: "shutting_down", message: "The daemon is stopping.", hint: "Try again." }));
    } else {
      response.end(`${data("two", 4)}{"dropped":5}\n{"exit":{"code":9}}\n`);
    }
  };
  assert.deepEqual(await box.commands.run("true", { onStdout: () => undefined }), { stdout: "one two", stderr: "", exitCode: 9, truncated: true });
  assert.deepEqual(asked, ["0", "4", "4"]);
});

test("the daemon is found by what is given, then by the environment, then on this machine", async () => {
  /** @type {string[]} */
  const tokens = [];
  answer = (request, response) => {
    tokens.push(String(request.headers.authorization));
    response.end(INFO);
  };
  await writeFile(path.join(here, "token"), "from the file\n");
  Object.assign(process.env, { SANDGLASS_URL: url, SANDGLASS_API_KEY: "from-the-environment", SANDGLASS_DATA_DIR: here });
  delete process.env["SANDGLASS_TOKEN_FILE"];
  await Sandbox.connect("box");
  await Sandbox.connect("box", { apiKey: "given" });
  delete process.env["SANDGLASS_API_KEY"];
  await Sandbox.connect("box");
  assert.deepEqual(tokens, ["Bearer from-the-environment", "Bearer given", "Bearer from the file"]);
  process.env["SANDGLASS_TOKEN_FILE"] = path.join(here, "absent");
  await assert.rejects(Sandbox.connect("box"), { code: "unauthorized", message: /absent/ });
  delete process.env["SANDGLASS_TOKEN_FILE"];
  delete process.env["SANDGLASS_URL"];
  delete process.env["SANDGLASS_RUN_DIR"];
  await assert.rejects(Sandbox.connect("box"), { code: "daemon_unreachable", message: /\/run\/sandglass-[0-9a-f]{8}\/sandglass\.sock/, hint: /sandglass up/ });
  process.env["SANDGLASS_RUN_DIR"] = here;
  await new Promise((resolve) => server.close(resolve));
  await new Promise((resolve) => server.listen(path.join(here, "sandglass.sock"), () => resolve(undefined)));
  assert.equal((await Sandbox.connect("box")).name, "box");
  assert.equal((await Sandbox.connect("box", { url: `unix://${here}/sandglass.sock` })).name, "box");
});

/**
 * @param {Partial<import("../dist/host/tar.js").TarEntry> & {name: string}} entry
 * @param {string} content
 */
function packed(entry, content = "") {
  return [header({ type: "0", link: "", mode: 0o644, size: content.length, time: 0, ...entry }), Buffer.from(content), padding(content.length)];
}

/**
 * In pieces of every size.
 * @param {Uint8Array[]} parts
 */
async function* archive(parts) {
  const bytes = Buffer.concat([...parts, end()]);
  for (let from = 0, size = 1; from < bytes.length; from += size, size = (size * 7) % 1000) {
    yield bytes.subarray(from, from + size);
  }
}

test("an archive from a sandbox leads nowhere but into its directory", async () => {
  const into = path.join(here, "into");
  for (const name of ["../out", "a/../../out", "/tmp/out", "a/" + "b/".repeat(300) + "c", "n".repeat(300)]) {
    await assert.rejects(unpack(archive(packed({ name }, "x")), into), { code: "archive_refused" }, name);
  }
  // Through a link that was there, or that came before, or by a hard link to what is outside.
  await writeFile(path.join(here, "victim"), "untouched");
  await unpack(archive([...packed({ name: "up", type: "2", link: ".." }), ...packed({ name: "abs", type: "2", link: here })]), into);
  assert.deepEqual(await readdir(into), []);
  await assert.rejects(unpack(archive(packed({ name: "hard", type: "1", link: "../victim" })), into), { code: "archive_refused" });
  await unpack(archive(packed({ name: "d/l", type: "2", link: "." })), into);
  await assert.rejects(unpack(archive(packed({ name: "d/l/x" }, "x")), into), { code: "path_exists" });
  await assert.rejects(unpack(archive(packed({ name: "d" }, "x")), into), { code: "path_exists" });
  assert.deepEqual((await readdir(here)).sort(), ["into", "victim"]);
});

test("what is no archive, or is cut off, is refused, and nothing half is left", async () => {
  const into = path.join(here, "into");
  const whole = Buffer.concat([...packed({ name: "file" }, "x".repeat(2000)), end()]);
  for (const length of [0, 100, 512, 1000, 2511]) {
    await assert.rejects(unpack(one(whole.subarray(0, length)), into), { code: "archive_refused" });
  }
  assert.deepEqual(await readdir(into), []);
  await assert.rejects(unpack(one(Buffer.alloc(1024, "nonsense")), into), { code: "archive_refused" });
  const huge = header({ name: "x", type: "x", link: "", mode: 0, size: 1 << 20, time: 0 });
  await assert.rejects(unpack(one(huge), into), { code: "archive_refused", message: /extended header/ });
});

/** @param {Uint8Array} bytes */
async function* one(bytes) {
  yield bytes;
}
