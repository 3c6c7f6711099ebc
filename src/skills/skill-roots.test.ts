import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { createSkillFiles, type SkillFiles } from "./skill-files.fixture.ts";
import { findSkillRoots, type RootsRequest } from "./skill-roots.ts";
import type { SkillSettings } from "./skill-settings.ts";

const SETTINGS: SkillSettings = {
  projectFolders: [],
  projectRootMarkers: [".git"],
  bundled: true,
  rules: [],
};

async function find(files: SkillFiles, request: Partial<Omit<RootsRequest, "settings">>, settings = {}) {
  const roots = await findSkillRoots({
    home: files.path("home"),
    userHome: files.path("user"),
    systemFolder: "/etc/codex",
    cwd: files.folder,
    extraRoots: [],
    ...request,
    settings: { ...SETTINGS, ...settings },
  });
  return roots.map(({ path, scope }) => `${scope} ${path.replace(files.folder, "")}`);
}

const COMMON = [
  "user /home/skills",
  "user /user/.agents/skills",
  "system /home/skills/.system",
  "admin /etc/codex/skills",
];

test("outside of projects there are the roots of the user and of the machine", async () => {
  expect(await find(createSkillFiles(), {})).toEqual(COMMON);
});

test("without a home folder and without bundled skills their roots are missing", async () => {
  expect(await find(createSkillFiles(), { userHome: null }, { bundled: false })).toEqual([
    "user /home/skills",
    "admin /etc/codex/skills",
  ]);
});

test("the project's own folders come first, extra roots and .agents folders last", async () => {
  const files = createSkillFiles();
  for (const folder of [
    "repo/.git/HEAD",
    "repo/.agents/skills",
    "repo/a/b/.agents/skills",
    ".agents/skills",
  ]) {
    mkdirSync(files.path(folder), { recursive: true });
  }
  const settings = { projectFolders: [files.path("repo/a/.codex"), files.path("repo/.codex")] };
  const request = {
    cwd: files.path("repo/a/b"),
    extraRoots: [files.path("extra"), files.path("home/skills")],
  };
  expect(await find(files, request, settings)).toEqual([
    "repo /repo/a/.codex/skills",
    "repo /repo/.codex/skills",
    ...COMMON,
    "user /extra",
    "repo /repo/.agents/skills",
    "repo /repo/a/b/.agents/skills",
  ]);
});

test.each([
  ["no marker above", [".nothing"]],
  ["no markers at all", []],
])("with %s only the folder itself is looked at", async (_, projectRootMarkers) => {
  const files = createSkillFiles();
  for (const folder of ["repo/.git", "repo/.agents/skills", "repo/a/.agents/skills"]) {
    mkdirSync(files.path(folder), { recursive: true });
  }
  expect(await find(files, { cwd: files.path("repo/a") }, { projectRootMarkers })).toEqual([
    ...COMMON,
    "repo /repo/a/.agents/skills",
  ]);
});
