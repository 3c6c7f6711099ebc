/** Tests that need a system program: skipped in words where it is missing, and failed where nothing may be skipped. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "vitest";
import programs from "./system-programs.json" with { type: "json" };

type Body = () => void | Promise<void>;

export function testWith(program: string, name: string, body: Body, milliseconds?: number): void {
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .some((folder) => existsSync(join(folder, program)));
  const package_ = programs.find((each) => each.program === program)?.debian ?? program;
  const reason = `needs ${program}: apt-get install ${package_}`;
  if (!found && process.env["CI"] === "true") {
    test(name, () => {
      throw new Error(`${reason} (with CI=true nothing is skipped)`);
    });
  } else test.skipIf(!found)(found ? name : `${name} [${reason}]`, body, milliseconds);
}
