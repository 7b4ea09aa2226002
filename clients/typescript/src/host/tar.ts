/**
 * Tar archives (ustar with pax headers and GNU long names), read and written as they go by. Names are bytes; here each is a text with one character per byte
 * (latin1). What is read comes from a sandbox and is hostile: headers have a limit.
 */
import { SandglassError } from "../errors.js";

const BLOCK = 512;
const MOST_EXTENDED = 1 << 18;
const MOST_OCTAL = 0o77777777777;

/** One entry; `type` is the letter of the format: 0 file, 1 hard link, 2 symbolic link, 5 directory. */
export interface TarEntry {
  readonly name: string;
  readonly type: string;
  readonly link: string;
  readonly mode: number;
  readonly size: number;
  /** Seconds since 1970, with a fraction. */
  readonly time: number;
}

/** The blocks that stand before an entry: its header, and before that an extended one for what does not fit there. */
export function header(entry: TarEntry): Uint8Array {
  const plain = entry.name.length <= 100 && entry.link.length <= 100 && entry.size <= MOST_OCTAL && /^[ -~]*$/.test(entry.name + entry.link);
  const records = plain ? "" : record("path", entry.name) + record("linkpath", entry.link) + record("size", String(entry.size));
  const extended = records + (Number.isInteger(entry.time) && entry.time >= 0 ? "" : record("mtime", entry.time.toFixed(6)));
  const own = block(entry, entry.type);
  if (extended === "") {
    return own;
  }
  const content = Buffer.from(extended, "latin1");
  const before = block({ ...entry, name: "extended", link: "", size: content.length }, "x");
  return Buffer.concat([before, content, padding(content.length), own]);
}

/** What follows the content of an entry of that size. */
export function padding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

/** What follows the last entry. */
export function end(): Uint8Array {
  return new Uint8Array(2 * BLOCK);
}

function block(entry: TarEntry, type: string): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) => bytes.write(value.toString(8).padStart(length - 1, "0"), at, "latin1");
  bytes.write(entry.name.slice(0, 100), 0, "latin1");
  octal(entry.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(Math.min(entry.size, MOST_OCTAL), 124, 12);
  octal(Math.min(Math.max(Math.floor(entry.time), 0), MOST_OCTAL), 136, 12);
  bytes.write("        ", 148, "latin1");
  bytes.write(type, 156, "latin1");
  bytes.write(entry.link.slice(0, 100), 157, "latin1");
  bytes.write("ustar\u000000", 257, "latin1");
  octal(bytes.reduce((sum, value) => sum + value, 0), 148, 7);
  return bytes;
}

/** A pax record: its own length, which counts itself, then the key and the value. */
function record(key: string, value: string): string {
  if (value === "") {
    return "";
  }
  const rest = key.length + value.length + 3;
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) {
    length++;
  }
  return `${length} ${key}=${value}\n`;
}

/** Reads entries one after the other; the content of each is read, or skipped, before the next one. */
export class TarReader {
  readonly #bytes: ByteReader;
  #left = 0;
  #padding = 0;

  constructor(archive: AsyncIterable<Uint8Array>) {
    this.#bytes = new ByteReader(archive);
  }

  /** The next entry, undefined at the end of the archive. */
  async next(): Promise<TarEntry | undefined> {
    const extended = new Map<string, string>();
    let room = MOST_EXTENDED;
    for (;;) {
      await this.#skip();
      const head = await this.#bytes.exactly(BLOCK);
      if (head.every((value) => value === 0)) {
        await this.#bytes.drain();
        return undefined;
      }
      check(head);
      const size = number(head, 124, 12);
      const type = String.fromCharCode(head[156] ?? 0);
      if ("xgLK".includes(type)) {
        room -= size + BLOCK;
        if (size < 0 || room < 0) {
          throw refused(`an extended header of ${size} bytes`);
        }
        const content = await this.#bytes.exactly(size);
        this.#padding = padding(size).length;
        gather(type, content, extended);
        continue;
      }
      return this.#entry(head, type, size, extended);
    }
  }

  /** The content of the last entry, as it comes. */
  async *content(): AsyncGenerator<Uint8Array> {
    while (this.#left > 0) {
      const part = await this.#bytes.some(this.#left);
      this.#left -= part.length;
      yield part;
    }
  }

  /** Lets go of what the archive comes from. */
  async close(): Promise<void> {
    await this.#bytes.close();
  }

  #entry(head: Buffer, type: string, size: number, extended: Map<string, string>): TarEntry {
    const prefix = head[262] === 0 ? text(head, 345, 155) : "";
    const name = extended.get("path") ?? (prefix === "" ? "" : `${prefix}/`) + text(head, 0, 100);
    const length = extended.has("size") ? Number(extended.get("size")) : size;
    const time = extended.has("mtime") ? Number(extended.get("mtime")) : number(head, 136, 12);
    if (!Number.isSafeInteger(length) || length < 0 || !Number.isFinite(time)) {
      throw refused("a malformed number");
    }
    const sparse = [...extended.keys()].some((key) => key.startsWith("GNU.sparse"));
    const plain = type === "\0" || type === "7" ? "0" : type;
    this.#left = length;
    this.#padding = padding(length).length;
    return { name, type: sparse ? "S" : plain === "0" && name.endsWith("/") ? "5" : plain, link: extended.get("linkpath") ?? text(head, 157, 100), mode: number(head, 100, 8) & 0o7777, size: length, time };
  }

  async #skip(): Promise<void> {
    for await (const _ of this.content()) {
      // dropped
    }
    await this.#bytes.exactly(this.#padding);
    this.#padding = 0;
  }
}

function gather(type: string, content: Buffer, extended: Map<string, string>): void {
  if (type === "L" || type === "K") {
    extended.set(type === "L" ? "path" : "linkpath", text(content, 0, content.length));
    return;
  }
  for (let at = 0; type === "x" && at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const length = space < 0 ? 0 : Number(content.toString("latin1", at, space));
    if (!Number.isInteger(length) || length <= space - at + 1 || at + length > content.length) {
      throw refused("a malformed extended header");
    }
    const line = content.toString("latin1", space + 1, at + length - 1);
    const equals = line.indexOf("=");
    if (equals > 0) {
      extended.set(line.slice(0, equals), line.slice(equals + 1));
    }
    at += length;
  }
}

function check(head: Buffer): void {
  const sum = head.reduce((total, value, at) => total + (at >= 148 && at < 156 ? 0x20 : value), 0);
  if (sum !== number(head, 148, 8)) {
    throw refused("a header with a wrong checksum");
  }
}

function text(bytes: Buffer, from: number, length: number): string {
  const nul = bytes.indexOf(0, from);
  return bytes.toString("latin1", from, nul < 0 || nul > from + length ? from + length : nul);
}

/** Octal digits, or, with the highest bit set, a binary number. */
function number(bytes: Buffer, from: number, length: number): number {
  if (((bytes[from] ?? 0) & 0x80) !== 0) {
    return Number(bytes.readBigInt64BE(from + length - 8));
  }
  const digits = text(bytes, from, length).trim();
  if (!/^[0-7]*$/.test(digits)) {
    throw refused("a malformed number");
  }
  return digits === "" ? 0 : parseInt(digits, 8);
}

/** What is wrong with an archive. */
export function refused(what: string): SandglassError {
  return new SandglassError("archive_refused", `The archive has ${what}`, "The sandbox may be hostile. What was unpacked before is kept.");
}

/** Pieces of any size, taken in the sizes that are wanted. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) {
        throw refused("no end: it is cut off");
      }
      this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  async exactly(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = length; left > 0; left -= parts.at(-1)?.length ?? 0) {
      parts.push(await this.some(left));
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, length);
  }

  async drain(): Promise<void> {
    this.#rest = Buffer.alloc(0);
    while ((await this.#source.next()).done !== true) {
      // dropped
    }
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
