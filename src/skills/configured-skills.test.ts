import { mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openConfig } from "../config/configuration.ts";
import { createSkillSettingsReader, createSkillSwitch } from "./configured-skills.ts";
import { createSkillFiles } from "./skill-files.fixture.ts";

async function createConfig(toml: string | null, config: readonly string[] = []) {
  const files = createSkillFiles();
  if (toml !== null) files.write("home/config.toml", toml);
  const opened = await openConfig({
    home: files.path("home"),
    userHome: files.path("user"),
    cwd: files.folder,
    systemDir: files.path("etc"),
    flags: { config },
    createId: () => "test",
  });
  if (!opened.ok) throw new Error(opened.message);
  let ids = 0;
  return {
    files,
    settingsFor: createSkillSettingsReader(opened.config),
    switchSkill: createSkillSwitch({ file: files.path("home/config.toml"), createId: () => String(ids++) }),
    text: () => readFileSync(files.path("home/config.toml"), "utf8"),
  };
}

test("settings come from the user's file, the flags and the folders of the project", async () => {
  const { files, settingsFor } = await createConfig(
    '[[skills.config]]\npath = "skills/a/SKILL.md"\nenabled = false\n[[skills.config]]\nname = "b"\nenabled = true\n',
    ["skills.bundled.enabled=false", "skills.config=[{name='c',enabled=false}]"],
  );
  files.write("repo/.git/HEAD", "ref: refs/heads/main\n");
  files.write("repo/.codex/config.toml", '[[skills.config]]\nname = "d"\nenabled = false\n');
  mkdirSync(files.path("repo/sub/.codex"), { recursive: true });
  expect(await settingsFor(files.path("repo/sub"))).toEqual({
    ok: true,
    settings: {
      projectFolders: [files.path("repo/sub/.codex"), files.path("repo/.codex")],
      projectRootMarkers: [".git"],
      bundled: false,
      rules: [
        { path: files.path("home/skills/a/SKILL.md"), enabled: false },
        { name: "b", enabled: true },
        { name: "c", enabled: false },
      ],
    },
  });
});

test("an invalid file returns the reason", async () => {
  const { files, settingsFor, switchSkill } = await createConfig("[x");
  const place = expect.stringMatching(/config\.toml:1:\d+: /);
  expect(await settingsFor(files.folder)).toEqual({ ok: false, message: place });
  expect(await switchSkill({ name: "a" }, false)).toEqual({ ok: false, message: place });
});

test("the file is created if needed", async () => {
  const { switchSkill, text } = await createConfig(null);
  expect(await switchSkill({ name: "a" }, true)).toEqual({ ok: true });
  expect(text).toThrow("ENOENT");
  expect(await switchSkill({ name: "a" }, false)).toEqual({ ok: true });
  expect(text()).toBe('[[skills.config]]\nname = "a"\nenabled = false\n');
});

test("concurrent switches are all persisted and apply immediately", async () => {
  const { switchSkill, settingsFor, files, text } = await createConfig("# mine\n");
  const names = ["a", "b", "c", "d"];
  const switched = await Promise.all(names.map((name) => switchSkill({ name }, false)));
  expect(switched).toEqual(names.map(() => ({ ok: true })));
  const result = await settingsFor(files.folder);
  expect(new Set(result.ok ? result.settings.rules.map(({ name }) => name) : [])).toEqual(new Set(names));
  await Promise.all(names.map((name) => switchSkill({ name }, true)));
  expect(text()).toBe("# mine\n");
});

test("an unwritable file returns the reason", async () => {
  const { files, switchSkill } = await createConfig(null);
  mkdirSync(files.path("home/config.toml"));
  expect(await switchSkill({ name: "a" }, false)).toEqual({
    ok: false,
    message: "Is a directory (os error 21)",
  });
});
