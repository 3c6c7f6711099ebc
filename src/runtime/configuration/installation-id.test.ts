import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readInstallationId } from "./installation-id.ts";

function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), "heddle-id-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test("the id is made once, and is all that is made", () => {
  const home = createHome();
  const id = readInstallationId(home);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect([readInstallationId(home), readFileSync(join(home, "installation_id"), "utf8")]).toEqual([id, id]);
  expect(readdirSync(home)).toEqual(["installation_id"]);
});

test("an id that another program has made is taken", () => {
  const home = createHome();
  const id = "01a1de85-c6e8-4cd1-a911-8f3f8697f72b";
  writeFileSync(join(home, "installation_id"), `${id}\n`);
  expect(readInstallationId(home)).toBe(id);
});

test("a damaged file is replaced by an id that stays", () => {
  const home = createHome();
  writeFileSync(join(home, "installation_id"), "01a1de85-c6e8");
  const id = readInstallationId(home);
  expect(readInstallationId(home)).toBe(id);
  expect(readdirSync(home)).toEqual(["installation_id"]);
});

test("a home that is not there has an id for the moment", () => {
  expect(readInstallationId("/nowhere/at/all")).toMatch(/^[0-9a-f-]{36}$/);
});
