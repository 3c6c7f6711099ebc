import { expect, test } from "vitest";
import { namesProfile } from "./permission-keys.ts";

const PROFILE = { table: { default_permissions: ":workspace" } };
const MODE = { table: { sandbox_mode: "read-only" } };
const BOTH = { table: { ...PROFILE.table, ...MODE.table } };
const OFF = { ...PROFILE, disabledReason: "untrusted" };

test.each([
  ["nothing is configured", [], false],
  ["a mode is", [MODE], false],
  ["a profile is", [PROFILE], true],
  ["one layer has both", [BOTH], true],
  ["the higher layer has a mode", [BOTH, MODE], false],
  ["the higher layer has a profile", [MODE, PROFILE], true],
  ["the higher layer has neither", [PROFILE, { table: {} }], true],
  ["the higher layer is not used", [MODE, OFF], false],
])("where %s", (_, layers, expected) => {
  expect(namesProfile(layers)).toBe(expected);
});
