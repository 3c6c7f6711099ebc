/** Tests that need a system program: skipped in words where it is missing, and failed where nothing may be skipped. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "vitest";
import programs from "./system-programs.json" with { type: "json" };

type Body = () => void | Promise<void>;

export function testWith(program: string, name: string, body: Body, milliseconds?: number): void {
  testUnless(lackOf(program), name, body, { timeout: milliseconds });
}

/** What is to be done where this program is missing; null where it is there. */
export function lackOf(program: string): string | null {
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .some((folder) => existsSync(join(folder, program)));
  const package_ = programs.find((each) => each.program === program)?.debian ?? program;
  return found ? null : `needs ${program}: apt-get install ${package_}`;
}

interface TestOptions {
  readonly timeout?: number | undefined;
  readonly concurrent?: boolean;
  /** What is lacking cannot be had everywhere, so that it may be skipped also where nothing else may. */
  readonly optional?: boolean;
}

/** A test that can run where nothing is lacking. */
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
