// Plays the scenarios that all clients share: node test/scenarios.mjs FILE RUNTIME PREFIX
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { NotFoundError, Paginator, Sandbox, SandglassError, Volume } from "sandglass";

/**
 * @typedef {{do: string, on?: string, args?: unknown[], with?: Record<string, unknown>, as?: string, expect?: unknown, error?: string}} Step
 * @typedef {{name: string, runtimes?: string[], steps: Step[]}} Scenario
 */

const CLASSES = { Sandbox, Volume };

/** @param {string} name */
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** One scenario on its way: what it has kept, and how to call what it says. */
class Play {
  /** @param {Record<string, string>} given */
  constructor(given) {
    /** @type {Record<string, any>} */
    this.kept = { ...given };
  }

  /** @param {string} path */
  find(path) {
    return path.split(".").reduce((/** @type {any} */ value, part) => value[camel(part)], this.kept);
  }

  /**
   * What stands in the file, with its variables and bytes replaced.
   * @param {any} value
   * @returns {any}
   */
  read(value) {
    if (typeof value === "string") {
      return value.replace(/\$\{([a-z_.0-9]+)\}/g, (_, path) => this.find(path));
    }
    if (Array.isArray(value)) {
      return value.map((each) => this.read(each));
    }
    if (typeof value !== "object" || value === null) {
      return value;
    }
    return typeof value.base64 === "string" ? new Uint8Array(Buffer.from(value.base64, "base64")) : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.read(each)]));
  }

  /** @param {Step} step */
  async call(step) {
    const parts = step.do.split(".").map(camel);
    const method = String(parts.pop());
    const owner = parts.reduce((/** @type {any} */ value, part) => value[part], step.on === undefined ? CLASSES : this.find(step.on));
    const options = Object.entries(this.read(step.with ?? {})).map(([name, value]) => [camel(name), value]);
    const result = await owner[method](...this.read(step.args ?? []), ...(options.length === 0 ? [] : [Object.fromEntries(options)]));
    return result instanceof Paginator ? result.toArray() : result;
  }

  /** @param {Step} step */
  async play(step) {
    if (step.error !== undefined) {
      await assert.rejects(this.call(step), (problem) => problem instanceof SandglassError && problem.code === step.error && problem.hint !== "", `it did not end with ${step.error}`);
      return;
    }
    const result = await this.call(step);
    if (step.as !== undefined) {
      this.kept[step.as] = result;
    }
    if ("expect" in step) {
      compare(result, this.read(step.expect), "the result");
    }
  }

  async clean() {
    const kept = Object.values(this.kept).flat().flatMap((each) => (each?.winner === undefined ? [each] : [each.winner]));
    await Promise.all(kept.filter((each) => each instanceof Sandbox).map((sandbox) => sandbox.kill()));
    for (const each of kept) {
      if (each instanceof Volume) {
        await each.delete().catch(unlessGone);
      } else if (typeof each?.snapshotId === "string") {
        await Sandbox.deleteSnapshot(each.snapshotId).catch(unlessGone);
      }
    }
  }
}

/** @param {unknown} problem */
function unlessGone(problem) {
  if (!(problem instanceof NotFoundError)) {
    throw problem;
  }
}

/**
 * @param {any} actual
 * @param {any} expected
 * @param {string} what
 */
function compare(actual, expected, what) {
  if (Array.isArray(expected)) {
    assert.equal(actual.length, expected.length, `how many there are in ${what}`);
    expected.forEach((each, index) => compare(actual[index], each, `${what}[${index}]`));
  } else if (typeof expected !== "object" || expected === null || expected instanceof Uint8Array) {
    assert.deepEqual(actual, expected, what);
  } else if ("contains" in expected) {
    assert.ok(String(actual).includes(expected.contains), `${what} is ${actual}`);
  } else if ("present" in expected || "absent" in expected) {
    assert.equal(actual !== undefined && actual !== null, "present" in expected, `${what} is ${actual}`);
  } else {
    Object.entries(expected).forEach(([name, each]) => compare(actual[camel(name)], each, `${what}.${name}`));
  }
}

/**
 * @param {Scenario} scenario
 * @param {Record<string, string>} given
 */
async function run(scenario, given) {
  const play = new Play(given);
  let number = 0;
  try {
    for (const step of scenario.steps) {
      number++;
      await play.play(step);
    }
    return true;
  } catch (problem) {
    console.error(`step ${number} ${JSON.stringify(scenario.steps[number - 1])}:`, problem);
    return false;
  } finally {
    await play.clean();
  }
}

const [file, runtime = "auto", prefix = "scenario"] = process.argv.slice(2);
/** @type {Scenario[]} */
const scenarios = JSON.parse(await readFile(String(file), "utf8"));
for (const scenario of scenarios.filter((each) => each.runtimes?.includes(runtime) ?? true)) {
  const fine = await run(scenario, { run: prefix, runtime });
  console.log(`${fine ? "ok  " : "FAIL"} ${scenario.name}`);
  process.exitCode ||= fine ? 0 : 1;
}
