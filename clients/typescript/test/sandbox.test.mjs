// What only this client has: streams, signals, progress, terminals, local directories. What all clients have is in the scenarios.
import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import * as browser from "../dist/host/browser.js";
import { CommandFailedError, NameTakenError, PathNotFoundError, Sandbox, SandboxNotFoundError, SandglassError, Volume } from "sandglass";

/** @type {Sandbox} */
let box;
/** @type {string} */
let here;

before(async () => {
  here = await mkdtemp(path.join(tmpdir(), "sandglass-"));
  box = await Sandbox.create({ runtime: "container", memoryMb: 512, metadata: { test: "typescript" } });
});

after(async () => {
  await box.kill();
  await rm(here, { recursive: true });
});

/**
 * Waits until it is so.
 * @param {() => boolean} wanted
 */
async function until(wanted) {
  while (!wanted()) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** @param {string} line */
async function output(line) {
  return (await box.commands.run(line, { check: true })).stdout;
}

test("output is told while it comes, and characters are not cut", async () => {
  /** @type {string[]} */
  const told = [];
  const running = box.commands.run("printf 'gr\\303'; until [ -e /root/go ]; do sleep 0.05; done; printf '\\274n'; echo wrong >&2", { onStdout: (text) => told.push(text), onStderr: (text) => told.push(`!${text}`) });
  await until(() => told.length > 0);
  assert.deepEqual(told, ["gr"]);
  await box.files.write("/root/go", "");
  const ended = await running;
  assert.equal(ended.stdout, "grün");
  assert.equal(ended.stderr, "wrong\n");
  assert.equal(told.filter((text) => !text.startsWith("!")).join(""), "grün");
  assert.ok(told.includes("!wrong\n"));
});

test("output that nobody waits for is bounded, and said to be cut", async () => {
  const ended = await box.commands.run("head -c 20000000 /dev/zero | tr '\\0' x");
  assert.equal(ended.stdout.length, 16 << 20);
  assert.equal(ended.truncated, true);
  let length = 0;
  const followed = await box.commands.run("head -c 20000000 /dev/zero | tr '\\0' x", { onStdout: (text) => (length += text.length) });
  assert.equal(length, 20_000_000);
  assert.equal(followed.stdout.length, 16 << 20);
  assert.equal(followed.truncated, true);
});

test("a command reads what it is given, of any size, while it prints", async () => {
  const ended = await box.commands.run("tr a b", { stdin: "a".repeat(8_000_000) });
  assert.equal(ended.stdout, "b".repeat(8_000_000));
  assert.equal((await box.commands.run("head -c 3", { stdin: "a".repeat(8_000_000) })).stdout, "aaa");
});

test("a signal ends the wait, and the command that nobody wants any more", async () => {
  for (const told of [undefined, () => undefined]) {
    const stop = new AbortController();
    const running = box.commands.run("touch /root/begun; exec sleep 4711", { signal: stop.signal, ...(told === undefined ? {} : { onStdout: told }) });
    running.catch(() => undefined);
    while (!(await box.files.exists("/root/begun"))) {
      // until it runs
    }
    stop.abort(new Error("enough"));
    await assert.rejects(running, /enough/);
    while ((await box.commands.list()).some((each) => each.state === "running" && each.argv.join(" ").includes("4711"))) {
      // until it is gone
    }
    assert.equal(await output("pgrep -f 'sleep 471[1]' || true"), "");
    await box.files.remove("/root/begun");
  }
});

test("errors have their class, code and hint", async () => {
  await assert.rejects(box.commands.run("echo why >&2; exit 3", { check: true }), (problem) => problem instanceof CommandFailedError && problem.result.exitCode === 3 && problem.message.includes("why"));
  await assert.rejects(Sandbox.create({ name: box.name }), (problem) => problem instanceof NameTakenError && problem instanceof SandglassError && problem.hint !== "" && problem.name === "NameTakenError");
  await assert.rejects(Sandbox.connect("nope"), SandboxNotFoundError);
  await assert.rejects(box.files.read("/nope"), PathNotFoundError);
  await assert.rejects(box.files.write("/etc/passwd/x", ""), SandglassError);
  await assert.rejects(Sandbox.connect(""), { code: "invalid_request" });
});

test("what is refused before all of it is sent is told by its code, every time", async () => {
  const big = new Uint8Array(16 << 20);
  for (let time = 0; time < 10; time++) {
    await assert.rejects(box.files.write("/etc/passwd/x", big), { code: "file_refused" });
    await assert.rejects(box.files.write("/etc/passwd/x", new Blob([big])), { code: "file_refused" });
    await assert.rejects(Sandbox.connect(box.name).then((same) => same.files.write("/nope", big, { user: "nobody-of-that-name" })), (problem) => problem instanceof SandglassError && problem.code !== "daemon_unreachable");
  }
});

test("files come and go as streams, with progress", async () => {
  const size = 64 << 20;
  const local = path.join(here, "big");
  await writeFile(local, Buffer.alloc(size, "abcdefg\n"));
  /** @type {number[]} */
  const up = [];
  const written = await box.files.write("/root/big", createReadStream(local), { mode: "755", onProgress: (done) => up.push(done) });
  assert.equal(written.size, size);
  assert.equal(written.mode, "0755");
  assert.equal(up.at(-1), size);
  assert.ok(up.length > 10 && up.every((each, index) => index === 0 || each > (up[index - 1] ?? 0)));
  assert.equal((await output("sha256sum < /root/big")).split(" ")[0], (await import("node:crypto")).createHash("sha256").update(await readFile(local)).digest("hex"));
  let last = 0;
  let length = 0;
  for await (const part of await box.files.read("/root/big", { format: "stream", onProgress: (done) => (last = done) })) {
    length += part.length;
  }
  assert.deepEqual([length, last], [size, size]);
  for await (const part of await box.files.read("/root/big", { format: "stream" })) {
    assert.ok(part.length > 0); // and no more of it
    break;
  }
  assert.equal(await box.files.read("/root/big").then((text) => text.length), size);
  await box.files.write("/root/blob", new Blob(["of a ", "blob"]));
  assert.equal(await box.files.read("/root/blob"), "of a blob");
});

test("a watched directory tells what happens in it until it is stopped", async () => {
  await box.files.makeDir("/root/watched");
  /** @type {string[]} */
  const events = [];
  const watch = await box.files.watchDir("/root/watched", ({ event, path: name }) => events.push(`${event} ${name}`));
  await box.commands.run("echo > /root/watched/a; mkdir /root/watched/d; rm /root/watched/a", { check: true });
  await until(() => events.includes("remove a"));
  assert.ok(events.includes("create a") && events.includes("create d"), events.join());
  await watch.stop();
  await assert.rejects(box.files.watchDir("/nope", () => undefined), PathNotFoundError);
});

test("directories come and go with links, modes and times", async () => {
  const local = path.join(here, "tree");
  const long = "n".repeat(120);
  await mkdir(path.join(local, "sub", long), { recursive: true });
  await writeFile(path.join(local, "sub", long, "grün \n"), "deep");
  await writeFile(path.join(local, "script"), "#!/bin/sh\n");
  await chmod(path.join(local, "script"), 0o4755);
  await utimes(path.join(local, "script"), 1_000_000_000, 1_000_000_000.5);
  await symlink("sub", path.join(local, "link"));
  /** @type {[number, number | undefined][]} */
  const progress = [];
  await box.files.uploadDir(local, "/root/tree", { onProgress: (done, total) => progress.push([done, total]) });
  assert.deepEqual(progress.at(-1), [14, 14]);
  assert.equal(await output("cd /root/tree && stat -c '%a %Y' script && readlink link && cat sub/n*/gr*"), "755 1000000000\nsub\ndeep");
  await output("cd /root/tree && ln -s /etc/passwd out && ln -s ../.. up && ln -s sub/../script in && ln script hard && mkfifo pipe");
  const back = path.join(here, "back");
  await box.files.downloadDir("/root/tree", back);
  assert.equal(await readFile(path.join(back, "sub", long, "grün \n"), "utf8"), "deep");
  assert.equal((await stat(path.join(back, "script"))).mode & 0o7777, 0o755);
  assert.equal((await stat(path.join(back, "script"))).mtimeMs, 1_000_000_000_500);
  assert.equal((await stat(path.join(back, "hard"))).ino, (await stat(path.join(back, "script"))).ino);
  assert.equal(await readlink(path.join(back, "link")), "sub");
  for (const name of ["out", "up", "in", "pipe"]) {
    await assert.rejects(stat(path.join(back, name)), { code: "ENOENT" }, name);
  }
  await assert.rejects(box.files.uploadDir(path.join(here, "nope"), "/root/nope"), PathNotFoundError);
});

test("a terminal shows what is typed, and has the size that it is given", async () => {
  let shown = "";
  const pty = await box.pty.create({ cols: 97, rows: 31, envs: { PS1: "> " }, onData: (data) => (shown += new TextDecoder().decode(data)) });
  await pty.sendStdin("stty size; tty\n");
  await until(() => shown.includes("31 97") && shown.includes("/dev/pts/"));
  await pty.resize(132, 43);
  await pty.sendStdin("stty size\n");
  await until(() => shown.includes("43 132"));
  let again = "";
  const other = await box.pty.connect(pty.commandId, { onData: (data) => (again += new TextDecoder().decode(data)) });
  await until(() => again.includes("43 132"));
  await other.sendStdin("exit 7\n");
  assert.equal((await pty.wait()).exitCode, 7);
  assert.equal((await other.wait()).exitCode, 7);
  await assert.rejects(pty.resize(1, 1), { code: "command_ended" });
});

test("a program in it is reached from outside, by a link and by its host", async () => {
  await box.files.write("/srv/index.html", "it works\n");
  const service = await box.services.create("web", ["python3", "-m", "http.server", "8080"], { cwd: "/srv", port: 8080 });
  assert.equal(service.state, "running");
  await output("until curl -so /dev/null http://127.0.0.1:8080/; do sleep 0.1; done");
  const route = await box.routes.create("web", 8080, { public: true });
  assert.equal(await (await fetch(route.url)).text(), "it works\n");
  const host = await box.getHost(8080);
  assert.equal(new URL(route.hostUrl).host.split(".").slice(1).join("."), host.split(".").slice(1).join("."));
  assert.match(host, new RegExp(`^8080-${box.sandboxId.replace("-", "")}\\.`));
  assert.equal(await asHost(host, new URL(route.url)), "it works\n");
  await box.routes.create("closed", 8080);
  const link = await box.routes.link("closed", { expires: 60 });
  assert.ok(link.expiresAt > new Date());
  assert.equal(await (await fetch(link.url)).text(), "it works\n");
  await box.routes.unlink("closed");
  assert.equal((await fetch(link.url)).status, 401);
  assert.match(await box.services.logs("web"), /GET \/ HTTP/);
  await box.services.remove("web");
});

/**
 * Asks the door of routes for a host whose name nobody resolves here.
 * @param {string} host
 * @param {URL} door
 * @returns {Promise<string>}
 */
function asHost(host, door) {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: door.hostname, port: door.port, path: "/", headers: { Host: host } }, async (response) => {
      let text = "";
      for await (const part of response) {
        text += part;
      }
      resolve(text);
    });
    request.on("error", reject);
  });
}

test("what was refused is in the log, page by page", async () => {
  const closed = await Sandbox.create({ runtime: "container", memoryMb: 256, network: { rules: [], otherwise: "deny" } });
  try {
    await closed.commands.run("for n in 1 2 3; do curl -s -m 5 https://example.org:44$n/; done");
    const ports = [];
    for await (const attempt of closed.network.log({ limit: 1 })) {
      assert.equal(attempt.verdict, "deny");
      assert.ok(attempt.at instanceof Date);
      ports.push(attempt.allow);
    }
    assert.ok(ports.length >= 1, String(ports));
  } finally {
    await closed.kill();
  }
});

test("a volume is read and written without a sandbox, kept and copied", async () => {
  const volume = await Volume.create(undefined, { sizeMb: 64, metadata: { test: "typescript" } });
  try {
    await volume.files.write("/a/b", "one");
    const kept = await volume.snapshot();
    await volume.files.write("/a/b", "two");
    const copy = await (await Volume.get(kept.name)).fork();
    assert.equal(await copy.files.read("/a/b"), "one");
    assert.equal(await volume.files.read("/a/b"), "two");
    assert.equal((await copy.getInfo()).source, kept.volumeId);
    await box.volumes.attach(copy.volumeId, "/mnt/copy");
    assert.equal(await output("cat /mnt/copy/a/b"), "one");
    await box.volumes.detach(copy.name);
    const found = await Volume.list({ metadata: { test: "typescript" }, limit: 1 }).toArray();
    assert.deepEqual(found.map((each) => each.volumeId), [volume.volumeId]);
    await copy.delete();
    await kept.delete();
  } finally {
    await volume.delete();
  }
});

test("lists come page by page, as they are asked for", async () => {
  const others = await Promise.all([1, 2].map(() => Sandbox.create({ runtime: "container", memoryMb: 256, metadata: { test: "typescript" } })));
  try {
    const pages = Sandbox.list({ metadata: { test: "typescript" }, limit: 2 });
    assert.equal(pages.hasNext, true);
    const first = await pages.nextItems();
    const second = await pages.nextItems();
    assert.deepEqual([first.length, second.length, pages.hasNext, (await pages.nextItems()).length], [2, 1, false, 0]);
    assert.deepEqual(new Set([...first, ...second].map((each) => each.sandboxId)), new Set([box, ...others].map((each) => each.sandboxId)));
    assert.ok(first[0]?.createdAt instanceof Date);
  } finally {
    await Promise.all(others.map((other) => other.kill()));
  }
});

test("the best of a race is kept, and none when it is called off", async () => {
  const { winner, branches } = await box.race("echo $SANDGLASS_BRANCH$EXTRA > /root/way", { count: 3, score: "cat /root/way", envs: { EXTRA: "0" } });
  assert.deepEqual(branches.map((each) => [each.branch, each.outcome, each.score, each.kept]), [[1, "succeeded", 10, false], [2, "succeeded", 20, false], [3, "succeeded", 30, true]]);
  assert.equal(await winner?.files.read("/root/way"), "30\n");
  await winner?.kill();
  const ways = [() => Promise.reject(new Error("no way")), () => false, (/** @type {Sandbox} */ copy) => copy.files.write("/root/way", "third")];
  const tried = await box.race((copy, branch) => ways[branch - 1]?.(copy), { count: 3 });
  assert.equal(await tried.winner?.files.read("/root/way"), "third");
  assert.equal(tried.branches[0]?.stderr, "no way");
  await tried.winner?.kill();
  await assert.rejects(box.race("exec sleep 1000", { name: "called-off", signal: AbortSignal.timeout(2000) }), { name: "TimeoutError" });
  assert.deepEqual(await Sandbox.list({ name: "called-off" }).toArray(), []);
});

test("it is destroyed where its block ends", async () => {
  const own = await Sandbox.create({ runtime: "container", memoryMb: 256 });
  await own[Symbol.asyncDispose]();
  assert.equal(await own.isRunning(), false);
});

test("nothing of this keeps a program from ending", async () => {
  const { spawn } = await import("node:child_process");
  const script = `import { Sandbox } from "sandglass"; await Sandbox.list().toArray(); console.log("done");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: path.dirname(import.meta.dirname), stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (part) => (said += part));
  const code = await new Promise((resolve) => child.on("exit", resolve));
  assert.deepEqual([code, said], [0, "done\n"]);
});

test("what a browser does instead of Node works too", async () => {
  const status = JSON.parse(await (await import("node:util")).promisify((await import("node:child_process")).execFile)("./sandglass", ["status", "-o", "json"], { cwd: path.resolve(import.meta.dirname, "../../..") }).then((done) => done.stdout));
  const apiKey = (await readFile(path.join(status.data_dir, "token"), "utf8")).trim();
  const target = await browser.findDaemon({ url: status.address, apiKey });
  const headers = { Authorization: `Bearer ${target.token}`, "Content-Type": "application/octet-stream" };
  const file = `/v1/sandboxes/${box.sandboxId}/files?path=/root/browser`;
  async function* content() {
    yield new TextEncoder().encode("from a ");
    yield new TextEncoder().encode("browser");
  }
  assert.equal((await browser.send(target, { method: "PUT", path: file, headers, body: content(), idleMillis: 0 })).status, 200);
  const answer = await browser.send(target, { method: "GET", path: file, headers, idleMillis: 0 });
  let text = "";
  for await (const part of answer.body) {
    text += new TextDecoder().decode(part);
  }
  assert.equal(text, "from a browser");
  await assert.rejects(browser.findDaemon({}), { code: "invalid_request" });
  await assert.rejects(browser.send({ origin: "http://127.0.0.1:1", token: "" }, { method: "GET", path: "/", headers: {}, idleMillis: 0 }), { code: "daemon_unreachable" });
});
