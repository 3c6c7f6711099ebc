import { expect, test } from "vitest";
import type { JsonObject } from "../base/json-object.ts";
import type { ConfigLayerSource } from "../protocol/generated/types.ts";
import type { Skill } from "./skill.ts";
import { createSkillFiles } from "./skill-files.fixture.ts";
import { disabledPaths, type SkillRule, toSkillSettings } from "./skill-settings.ts";

const layer = (source: ConfigLayerSource, table: JsonObject) => ({ source, table });
const untrusted = { disabledReason: "not trusted" };
const system: ConfigLayerSource = { type: "system", file: "/etc/codex/config.toml" };
const user: ConfigLayerSource = { type: "user", file: "/home/config.toml", profile: null };
const project = (dotCodexFolder: string): ConfigLayerSource => ({ type: "project", dotCodexFolder });
const flags: ConfigLayerSource = { type: "sessionFlags" };

test("an empty configuration has the defaults", () => {
  expect(toSkillSettings([layer(user, {})])).toEqual({
    projectFolders: [],
    projectRootMarkers: [".git"],
    bundled: true,
    rules: [],
  });
});

test("rules come from the user and the command line, folders from projects, nearest first", () => {
  const rule = (name: string) => ({ skills: { config: [{ name, enabled: false }] } });
  const layers = [
    layer(system, { ...rule("of the machine"), project_root_markers: ["a"] }),
    layer(user, { ...rule("of the user"), project_root_markers: ["b", "c"] }),
    layer(project("/repo/.codex"), {
      skills: { ...rule("of the project").skills, bundled: { enabled: false } },
      project_root_markers: ["d"],
    }),
    { ...layer(project("/repo/sub/.codex"), { skills: { bundled: { enabled: true } } }), ...untrusted },
    layer(flags, rule("of the command line")),
  ];
  expect(toSkillSettings(layers)).toEqual({
    projectFolders: ["/repo/sub/.codex", "/repo/.codex"],
    projectRootMarkers: ["b", "c"],
    bundled: false,
    rules: [
      { name: "of the user", enabled: false },
      { name: "of the command line", enabled: false },
    ],
  });
});

test("values of a wrong type are ignored", () => {
  const config = [{ name: "a" }, "b", { name: 1, path: "/c", enabled: true }];
  const skills = { config, bundled: false };
  const layers = [layer(user, { skills, project_root_markers: 1 }), layer(flags, { skills: "x" })];
  expect(toSkillSettings(layers)).toEqual({
    projectFolders: [],
    projectRootMarkers: [".git"],
    bundled: true,
    rules: [{ path: "/c", enabled: true }],
  });
});

const skills = ["a", "b", "b"].map((name, index) => ({ name, path: `/${name}${index}` }) as Skill);
const on = { enabled: true };
const off = { enabled: false };

test.each<[string, SkillRule[], string[]]>([
  ["nothing is off without rules", [], []],
  ["a name switches off every skill that has it", [{ name: " b ", ...off }], ["/b1", "/b2"]],
  ["a path switches off one", [{ path: "/b1", ...off }], ["/b1"]],
  ["a path that leads nowhere stays", [{ path: "/none", ...off }], ["/none"]],
  [
    "a later path wins over a name",
    [
      { name: "b", ...off },
      { path: "/b1", ...on },
    ],
    ["/b2"],
  ],
  [
    "a later name wins over a path",
    [
      { path: "/a0", ...on },
      { name: "a", ...off },
    ],
    ["/a0"],
  ],
  [
    "a repeated rule counts where it stands last",
    [
      { name: "a", ...off },
      { path: "/a0", ...on },
      { name: "a", ...off },
    ],
    ["/a0"],
  ],
  [
    "a rule with both or neither is void",
    [{ path: "/a0", name: "a", ...off }, off, { name: " ", ...off }],
    [],
  ],
])("%s", async (_, rules, expected) => {
  expect([...(await disabledPaths(rules, skills))]).toEqual(expected);
});

test("paths are compared after resolving symlinks", async () => {
  const files = createSkillFiles();
  const path = files.skill("real/a", "a");
  files.link("link", files.path("real"));
  expect([...(await disabledPaths([{ path: files.path("link/a/SKILL.md"), enabled: false }], []))]).toEqual([
    path,
  ]);
});
