/** What goes over the wire is spelt with underscores, and here it is not. */

/** Objects whose keys are somebody's own names. */
const MAPS = new Set(["env", "envs", "labels", "metadata", "data"]);

/** An answer of the daemon as this library spells it; what is named with `_at` becomes a Date. */
export function fromWire(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(fromWire);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [camel(name), MAPS.has(name) ? item : isTime(name, item) ? new Date(item) : fromWire(item)]));
}

function isTime(name: string, item: unknown): item is string {
  return typeof item === "string" && (name === "at" || name.endsWith("_at"));
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A request as the daemon spells it; what is undefined is left out. */
export function toWire(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [snake(name), MAPS.has(name) || !isPlain(item) ? item : toWire(item)]),
  );
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same without some of its fields. */
export function without<T extends object, K extends keyof T>(value: T, ...names: K[]): Omit<T, K> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !(names as string[]).includes(name))) as Omit<T, K>;
}

/** A command as the daemon takes it: a text is a line for the login shell (bash where there is one, else sh), several words are a program and its arguments. */
export function argv(command: string | readonly string[]): string[] {
  const choose = '[ -x /bin/bash ] && exec /bin/bash -lc "$1"; exec /bin/sh -lc "$1"';
  return typeof command === "string" ? ["/bin/sh", "-c", choose, "sh", command] : [...command];
}

/** `KEY=VALUE` for filters. */
export function labelFilter(metadata: Record<string, string> | undefined): string[] | undefined {
  return metadata === undefined ? undefined : Object.entries(metadata).map(([name, value]) => `${name}=${value}`);
}
