/**
 * Tests that need a system program: skipped with a reason if it is missing, or failed where skipping is not
 * allowed.
 */
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "vitest";
import programs from "./system-programs.json" with { type: "json" };

type Body = () => void | Promise<void>;

export function testWith(program: string, name: string, body: Body, milliseconds?: number): void {
  testUnless(lackOf(program), name, body, { timeout: milliseconds });
}

/** How to install a missing program; null if it is present. */
export function lackOf(program: string): string | null {
  const package_ = knownAs(program)?.debian ?? program;
  return findProgram(program) === null ? `needs ${program}: apt-get install ${package_}` : null;
}

/** The path of a program; null if it is missing. */
export function findProgram(program: string): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...versionedFolders(program)];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}

const knownAs = (program: string) => programs.find((each) => each.program === program);

/** Debian keeps programs of several versions out of the PATH; the newest version comes first. */
function versionedFolders(program: string): string[] {
  const parent = knownAs(program)?.versionsIn;
  if (parent === undefined || !existsSync(parent)) return [];
  const versions = readdirSync(parent).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(parent, version, "bin"));
}

interface TestOptions {
  readonly timeout?: number | undefined;
  readonly concurrent?: boolean;
  /** The missing program is not available on every system, so the test may always be skipped. */
  readonly optional?: boolean;
}

/** A test that runs only if nothing is missing. */
export function testUnless(
  lack: string | null,
  name: string,
  body: Body,
  { timeout, concurrent = false, optional = false }: TestOptions = {},
): void {
  if (lack !== null && !optional && process.env["CI"] === "true") {
    test(name, () => {
      throw new Error(`${lack} (with CI=true nothing is skipped)`);
    });
    return;
  }
  const title = lack === null ? name : `${name} [${lack}]`;
  test(title, { skip: lack !== null, concurrent, ...(timeout === undefined ? {} : { timeout }) }, body);
}
