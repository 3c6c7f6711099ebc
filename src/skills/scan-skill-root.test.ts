import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { silentLogger } from "../base/logger.ts";
import type { SkillScope } from "../protocol/generated/types.ts";
import { createSkillFiles, type SkillFiles } from "./skill-files.fixture.ts";
import { scanSkillRoot } from "./skill-roots.ts";
import { MAX_SCAN_FOLDERS } from "./walk-skill-folders.ts";

async function scan(files: SkillFiles, root = "skills", scope: SkillScope = "user", whenMissing = () => {}) {
  const folders: string[] = [];
  let missing = 0;
  const contents = await scanSkillRoot(
    { path: files.path(root), scope },
    {
      log: silentLogger,
      onFolder: (folder) => folders.push(folder),
      onMissing() {
        missing++;
        whenMissing();
        return Promise.resolve();
      },
    },
  );
  const names = contents.skills.map(({ name }) => name);
  return { ...contents, names, folders, missing };
}

test("a skill has the properties of its files", async () => {
  const files = createSkillFiles();
  const path = files.write(
    "skills/a/SKILL.md",
    "---\nname: n\ndescription: d\nmetadata: {short-description: s}\n---\n",
  );
  files.write(
    "skills/a/agents/openai.yaml",
    "interface: {icon_small: assets/i.png}\npolicy: {allow_implicit_invocation: false}",
  );
  expect(await scan(files)).toEqual({
    skills: [
      {
        name: "n",
        description: "d",
        shortDescription: "s",
        interface: {
          displayName: null,
          shortDescription: null,
          iconSmall: files.path("skills/a/assets/i.png"),
          iconLarge: null,
          iconSmallUrl: null,
          iconLargeUrl: null,
          brandColor: null,
          defaultPrompt: null,
        },
        dependencies: null,
        allowImplicitInvocation: false,
        path,
        scope: "user",
      },
    ],
    faults: [],
    names: ["n"],
    folders: ["skills", "skills/a", "skills/a/agents"].map((folder) => files.path(folder)),
    missing: 0,
  });
});

test("skills are found breadth first, down to the sixth level and not in hidden folders", async () => {
  const files = createSkillFiles();
  files.skill("skills", "root");
  files.skill("skills/b", "b");
  files.skill("skills/b/c", "c");
  files.skill("skills/a/a/a/a/a/a", "six");
  files.skill("skills/a/a/a/a/a/a/a", "seven");
  files.skill("skills/.hidden", "hidden");
  files.write("skills/d/skill.md", "---\nname: d\ndescription: d\n---\n");
  mkdirSync(files.path("skills/e/SKILL.md"), { recursive: true });
  expect((await scan(files)).names).toEqual(["root", "b", "c", "six"]);
});

test("a missing root is empty and reported", async () => {
  expect(await scan(createSkillFiles())).toEqual({
    skills: [],
    faults: [],
    names: [],
    folders: [],
    missing: 1,
  });
});

test("a root that is created meanwhile is found", async () => {
  const files = createSkillFiles();
  expect(await scan(files, "skills", "user", () => files.skill("skills/a", "a"))).toMatchObject({
    names: ["a"],
  });
});

test("symlinks to folders are followed once; symlinks to files, cycles and dangling ones are not", async () => {
  const files = createSkillFiles();
  const path = files.skill("elsewhere/linked", "linked");
  files.link("skills/one", files.path("elsewhere/linked"));
  files.link("skills/two", files.path("elsewhere/linked"));
  files.link("skills/file/SKILL.md", path);
  files.link("skills/loop", files.path("skills"));
  files.link("skills/dead", files.path("nowhere"));
  expect((await scan(files)).skills.map((skill) => skill.path)).toEqual([path]);
  expect((await scan(files, "skills", "system")).names).toEqual([]);
});

test("a symlinked root has real paths", async () => {
  const files = createSkillFiles();
  const path = files.skill("real/a", "a");
  files.link("skills", files.path("real"));
  expect((await scan(files)).skills.map((skill) => skill.path)).toEqual([path]);
});

test("every invalid skill is reported, except for system skills", async () => {
  const files = createSkillFiles();
  files.skill("skills/good", "good");
  const faults = [
    [
      files.write("skills/bytes/SKILL.md", Uint8Array.of(0xff)),
      "failed to read file: invalid utf-8 sequence of 1 bytes from index 0",
    ],
    [files.write("skills/empty/SKILL.md", ""), "missing YAML frontmatter delimited by ---"],
    [files.write("skills/head/SKILL.md", "---\nname: n\n---\n"), "missing field `description`"],
  ];
  expect((await scan(files)).faults).toEqual(faults.map(([path, message]) => ({ path, message })));
  expect(await scan(files, "skills", "system")).toMatchObject({ names: ["good"], faults: [] });
});

test("an invalid openai.yaml counts as absent, and a skill for other products is skipped", async () => {
  const files = createSkillFiles();
  files.skill("skills/a", "a");
  files.write("skills/a/agents/openai.yaml", "interface: text");
  files.skill("skills/b", "b");
  files.write("skills/b/agents/openai.yaml", "policy: {products: [chatgpt]}");
  expect((await scan(files)).skills).toMatchObject([{ name: "a", interface: null }]);
});

test("skills of a plugin are prefixed with its name", async () => {
  const files = createSkillFiles();
  files.skill("skills/plain", "a");
  files.skill("skills/one/skills/a", "a");
  files.write("skills/one/.codex-plugin/plugin.json", '{"name":"first"}');
  files.skill("skills/two/a", "a");
  files.write("skills/two/.claude-plugin/plugin.json", '{"name":" "}');
  files.skill("skills/three/a", "a");
  files.write("skills/three/.cursor-plugin/plugin.json", '{"name":3}');
  files.skill("skills/four/a", "a");
  files.write("skills/four/.codex-plugin/plugin.json", "no JSON");
  expect((await scan(files)).names.toSorted()).toEqual(["a", "a", "a", "first:a", "two:a"]);
});

test("a root inside a plugin belongs to it, and so does a symlinked skill", async () => {
  const files = createSkillFiles();
  files.skill("plugin/skills/a", "a");
  files.write("plugin/.codex-plugin/plugin.json", `{"name":"outer"}`);
  files.link("skills/linked", files.path("plugin/skills/a"));
  files.skill("skills/own", "own");
  expect((await scan(files, "plugin/skills")).names).toEqual(["outer:a"]);
  expect((await scan(files)).names.toSorted()).toEqual(["outer:a", "own"]);
});

test("a qualified name has a limit of its own", async () => {
  const files = createSkillFiles();
  const path = files.skill("skills/a", "a");
  files.write("skills/.codex-plugin/plugin.json", JSON.stringify({ name: "p".repeat(128) }));
  const message = "invalid qualified name: exceeds maximum length of 129 characters";
  expect((await scan(files)).faults).toEqual([{ path, message }]);
});

test("the number of scanned folders is limited", async () => {
  const files = createSkillFiles();
  for (let index = 0; index < MAX_SCAN_FOLDERS + 50; index++) {
    mkdirSync(files.path(`skills/${String(index).padStart(5, "0")}`), { recursive: true });
  }
  files.skill("skills/00000", "first");
  files.skill("skills/99999", "last");
  const { names, folders } = await scan(files);
  expect({ names, folders: folders.length }).toEqual({ names: ["first"], folders: MAX_SCAN_FOLDERS });
});
