import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeMissingProfile } from "./missing-profile.ts";

function homeWith(...files: readonly string[]): string {
  const home = mkdtempSync(join(tmpdir(), "heddle-profiles-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const file of files) writeFileSync(join(home, file), "");
  return home;
}

const numbered = Array.from({ length: 22 }, (_, at) => `p${at + 10}.config.toml`);

test.each([
  [["work.config.toml"], null],
  [["config.toml", "other.txt"], "there are none yet"],
  [["b.config.toml", "a.config.toml", "\u001b.config.toml"], "there are a, b"],
  [
    numbered,
    `there are ${numbered
      .slice(0, 20)
      .map((name) => name.split(".")[0])
      .join(", ")} and 2 more`,
  ],
])("among %j", (files, known) => {
  const home = homeWith(...files);
  const expected =
    known === null
      ? null
      : `profile \`work\` does not exist: there is no ${join(home, "work.config.toml")}; ${known}`;
  expect(describeMissingProfile(home, "work")).toBe(expected);
});
