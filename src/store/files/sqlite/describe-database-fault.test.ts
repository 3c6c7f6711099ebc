import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { describeOsFault } from "../../../base/describe-os-fault.ts";
import { describeDatabaseFault } from "./describe-database-fault.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-fault-"));
const database = join(folder, "heddle.sqlite");
afterAll(() => rmSync(folder, { recursive: true }));

const fault = (code: string, message = code): Error => Object.assign(new Error(message), { code });

test.each([
  ["SQLITE_FULL", "database or disk is full", /heddle\.sqlite: database or disk is full; free some space/],
  [
    "SQLITE_READONLY_DIRECTORY",
    "attempt to write a readonly database",
    /readonly database; make it writable/,
  ],
])("says what to do about a database that reports %s", (code, message, expected) => {
  expect(describeDatabaseFault(fault(code, message), database)).toMatch(expected);
});

test("finds out why a database cannot be opened", () => {
  mkdirSync(database);
  expect(describeDatabaseFault(fault("SQLITE_CANTOPEN"), database)).toBe(
    `cannot use ${database}: Is a directory (os error 21); move away what stands in its place`,
  );
});

test("names the file that the system refuses", () => {
  writeFileSync(join(folder, "file"), "");
  let refusal: unknown;
  try {
    statSync(join(folder, "file/below"));
  } catch (error) {
    refusal = error;
  }
  expect(describeOsFault(refusal)).toBe(
    `cannot use ${join(folder, "file/below")}: Not a directory (os error 20); move away what stands in its place`,
  );
});

test("leaves to the log what only a developer can put right", () => {
  const mistakes = [
    new TypeError("x is undefined"),
    fault("SQLITE_ERROR"),
    fault("ERR_INVALID_ARG_TYPE"),
    "text",
  ];
  for (const error of mistakes)
    expect([describeDatabaseFault(error, database), describeOsFault(error)]).toEqual([null, null]);
});
