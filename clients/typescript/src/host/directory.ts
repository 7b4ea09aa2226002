/** Local directories as archives: packed on their way into a sandbox, and unpacked when they come from one, which may be hostile. */
import type { BigIntStats, Stats } from "node:fs";
import { type FileHandle, chmod, link, lstat, mkdir, open, readdir, readlink, realpath, rename, rm, stat, symlink, utimes } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { ConflictError, PathNotFoundError, SandglassError } from "../errors.js";
import type { Progress } from "../host.js";
import { type TarEntry, TarReader, end, header, padding, refused } from "./tar.js";

const PIECE = 1 << 16;
const MOST_ENTRIES = 5_000_000;
const MOST_DEPTH = 256;
const MOST_NAME = 255;
/** Set-uid and set-gid are not copied: with another owner they mean something else, and from a sandbox they would be a danger. */
const COPIED = 0o1777;

/** A path whose names are given as latin1. */
function at(directory: Buffer, name: string): Buffer {
  return Buffer.concat([directory, Buffer.from(`/${name}`, "latin1")]);
}

/** What is in a directory, with names relative to it. Links stay links; sockets, FIFOs and devices are left out. */
export async function* pack(directory: string, progress?: Progress): AsyncGenerator<Uint8Array> {
  const root = Buffer.from(directory);
  const found = await stat(root).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) {
    throw new PathNotFoundError("path_not_found", `There is no directory ${directory} here`, "Check the path.");
  }
  const total = progress === undefined ? 0 : await size(root);
  let done = 0;
  for await (const part of packed(root, "")) {
    done += part.content;
    yield part.bytes;
    if (part.content > 0) {
      progress?.(done, total);
    }
  }
  yield end();
}

async function size(directory: Buffer): Promise<number> {
  let sum = 0;
  for (const name of await names(directory)) {
    const facts = await lstat(at(directory, name));
    sum += facts.isDirectory() ? await size(at(directory, name)) : facts.isFile() ? facts.size : 0;
  }
  return sum;
}

async function names(directory: Buffer): Promise<string[]> {
  return (await readdir(directory, { encoding: "buffer" })).map((name) => name.toString("latin1")).sort();
}

/** Bytes of an archive, and how many of them are of a file. */
interface Part {
  bytes: Uint8Array;
  content: number;
}

async function* packed(directory: Buffer, prefix: string): AsyncGenerator<Part> {
  for (const name of await names(directory)) {
    const path = at(directory, name);
    const facts = await lstat(path);
    const entry = { name: prefix + name, link: "", mode: facts.mode & COPIED, size: 0, time: facts.mtimeMs / 1000 };
    if (facts.isDirectory()) {
      yield { bytes: header({ ...entry, name: `${entry.name}/`, type: "5" }), content: 0 };
      yield* packed(path, `${entry.name}/`);
    } else if (facts.isSymbolicLink()) {
      yield { bytes: header({ ...entry, type: "2", link: (await readlink(path, { encoding: "buffer" })).toString("latin1") }), content: 0 };
    } else if (facts.isFile()) {
      yield { bytes: header({ ...entry, type: "0", size: facts.size }), content: 0 };
      yield* content(path, facts);
      yield { bytes: padding(facts.size), content: 0 };
    }
  }
}

async function* content(path: Buffer, facts: Stats): AsyncGenerator<Part> {
  const file = await open(path, "r");
  try {
    for (let left = facts.size; left > 0; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(left, PIECE)));
      if (bytesRead === 0) {
        throw new SandglassError("file_refused", `${path.toString()} became shorter while it was copied`, "Copy it again when nothing writes to it.");
      }
      left -= bytesRead;
      yield { bytes: buffer.subarray(0, bytesRead), content: bytesRead };
    }
  } finally {
    await file.close();
  }
}

/** Unpacks an archive into a directory, which is made, and nowhere else. Links that lead out of it, and devices, are left out. */
export async function unpack(archive: AsyncIterable<Uint8Array>, directory: string, progress?: Progress): Promise<void> {
  await mkdir(directory, { recursive: true });
  const unpacking = new Unpacking(Buffer.from(await realpath(directory)), progress);
  const reader = new TarReader(archive);
  try {
    for (let entry = await reader.next(), count = 1; entry !== undefined; entry = await reader.next(), count++) {
      if (count > MOST_ENTRIES) {
        throw refused(`more than ${MOST_ENTRIES} entries`);
      }
      await unpacking.add(entry, reader);
    }
    await unpacking.finish();
  } finally {
    await reader.close();
  }
}

class Unpacking {
  readonly #root: Buffer;
  readonly #progress: Progress | undefined;
  readonly #directories = new Set<string>([""]);
  readonly #files = new Set<string>();
  readonly #finished: [Buffer, TarEntry][] = [];
  #done = 0;

  constructor(root: Buffer, progress: Progress | undefined) {
    this.#root = root;
    this.#progress = progress;
  }

  async add(entry: TarEntry, reader: TarReader): Promise<void> {
    const parts = components(entry.name);
    const last = parts.at(-1);
    if (last === undefined) {
      return;
    }
    const parent = await this.#directory(parts.slice(0, -1));
    const path = at(parent, last);
    if (entry.type === "5") {
      this.#finished.push([await this.#directory(parts), entry]);
    } else if (entry.type === "0") {
      await this.#file(path, entry, reader);
      this.#files.add(parts.join("/"));
    } else if (entry.type === "2" && staysInside(entry.link, parts.length - 1)) {
      await this.#clear(path);
      await symlink(Buffer.from(entry.link, "latin1"), path);
      this.#files.delete(parts.join("/"));
    } else if (entry.type === "1" && this.#files.has(components(entry.link).join("/"))) {
      await this.#clear(path);
      await link(at(this.#root, components(entry.link).join("/")), path);
      this.#files.add(parts.join("/"));
    }
  }

  /** Last, and from the deepest on: what is put into a directory changes its time, and a mode may forbid it. */
  async finish(): Promise<void> {
    for (const [path, entry] of this.#finished.reverse()) {
      await chmod(path, entry.mode & COPIED);
      await utimes(path, entry.time, entry.time);
    }
  }

  /** A file is replaced whole or not at all. */
  async #file(path: Buffer, entry: TarEntry, reader: TarReader): Promise<void> {
    if ((await facts(path))?.isDirectory() === true) {
      throw inTheWay(path, "a directory");
    }
    const draft = Buffer.concat([path.subarray(0, path.lastIndexOf(0x2f) + 1), Buffer.from(`.sandglass-${randomBytes(6).toString("hex")}`)]);
    const file = await open(draft, "wx", 0o600);
    try {
      await this.#fill(file, entry, reader);
      await rename(draft, path);
    } catch (problem) {
      await rm(draft, { force: true });
      throw problem;
    }
  }

  async #fill(file: FileHandle, entry: TarEntry, reader: TarReader): Promise<void> {
    try {
      for await (const part of reader.content()) {
        await file.write(part);
        this.#done += part.length;
        this.#progress?.(this.#done);
      }
      await file.chmod(entry.mode & COPIED);
      await file.utimes(entry.time, entry.time);
    } finally {
      await file.close();
    }
  }

  /** The directory with those names, made where it is missing; a link on the way is not followed. */
  async #directory(parts: string[]): Promise<Buffer> {
    let path = this.#root;
    let name = "";
    for (const part of parts) {
      path = at(path, part);
      name = name === "" ? part : `${name}/${part}`;
      if (this.#directories.has(name)) {
        continue;
      }
      const there = await facts(path);
      if (there === undefined) {
        await mkdir(path, 0o755);
      } else if (!there.isDirectory()) {
        throw inTheWay(path, "no directory, and links are not followed");
      }
      this.#directories.add(name);
    }
    return path;
  }

  async #clear(path: Buffer): Promise<void> {
    if ((await facts(path))?.isDirectory() === true) {
      throw inTheWay(path, "a directory");
    }
    await rm(path, { force: true });
  }
}

async function facts(path: Buffer): Promise<Stats | BigIntStats | undefined> {
  return lstat(path).catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === "ENOENT") {
      return undefined;
    }
    throw problem;
  });
}

function inTheWay(path: Buffer, what: string): ConflictError {
  return new ConflictError("path_exists", `${path.toString()} is in the way: it is ${what}`, "Remove it, or copy to another place.");
}

/** The names that a path is made of; an archive with one that leads out is refused whole. */
function components(name: string): string[] {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (name.startsWith("/") || parts.includes("..")) {
    throw refused(`a name that leads out of the directory: ${JSON.stringify(name)}`);
  }
  if (parts.length > MOST_DEPTH || parts.some((part) => part.length > MOST_NAME || part.includes("\0"))) {
    throw refused("a name that no file can have");
  }
  return parts;
}

/** Whether a symbolic link at that depth can only lead inside. `..` may stand only at the beginning: further on it could climb out through another link. */
function staysInside(target: string, depth: number): boolean {
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const climbs = parts.findIndex((part) => part !== "..");
  const climbed = climbs < 0 ? parts.length : climbs;
  return target !== "" && !target.startsWith("/") && !target.includes("\0") && climbed <= depth && !parts.slice(climbed).includes("..");
}
