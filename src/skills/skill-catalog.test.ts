import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { createFakeClock } from "../base/fake-clock.fixture.ts";
import { silentLogger } from "../base/logger.ts";
import type { FolderListener } from "../base/watch-folder.ts";
import { CHANGE_INTERVAL_MS, DEBOUNCE_MS, MAX_CACHED_ROOTS, SkillCatalog } from "./skill-catalog.ts";
import { createSkillFiles } from "./skill-files.fixture.ts";
import type { SkillSettings, SkillSettingsResult } from "./skill-settings.ts";

function createCatalog(change: Partial<SkillSettings> = {}) {
  const files = createSkillFiles();
  const clock = createFakeClock();
  const open = new Map<string, FolderListener>();
  const settings = { projectFolders: [], projectRootMarkers: [], bundled: true, rules: [], ...change };
  const state: { settings: SkillSettingsResult } = { settings: { ok: true, settings } };
  const settingsFor = vi.fn(() => Promise.resolve(state.settings));
  const catalog = new SkillCatalog({
    home: files.path("home"),
    userHome: files.path("user"),
    systemFolder: files.path("etc"),
    settingsFor,
    clock,
    log: silentLogger,
    watchFolder(folder, onEvent) {
      open.set(folder, onEvent);
      return () => open.delete(folder);
    },
  });
  const notifications = vi.fn<() => void>();
  catalog.onChange(notifications);
  onTestFinished(() => catalog.close());
  const names = async () => {
    const result = await catalog.list(files.folder);
    return result.ok
      ? result.listing.skills.map(({ name, enabled }) => (enabled ? name : `${name} (off)`))
      : [];
  };
  return { files, clock, open, state, settings, settingsFor, catalog, notifications, names };
}

test("callers of the same tick share one load, which starts after all calls", async () => {
  const { files, settingsFor, catalog } = createCatalog();
  const lists = [files.folder, files.folder, files.path("other")].map((cwd) => catalog.list(cwd));
  files.skill(".agents/skills/new", "new");
  const [first, second, elsewhere] = await Promise.all(lists);
  expect(first?.ok && first.listing.skills.map(({ name }) => name)).toEqual(["new"]);
  expect(second).toBe(first);
  expect(elsewhere?.ok && elsewhere.listing.skills).toEqual([]);
  expect(settingsFor).toHaveBeenCalledTimes(2);

  files.skill(".agents/skills/newer", "newer");
  catalog.refresh();
  const again = await catalog.list(files.folder);
  expect(again.ok && again.listing.skills.map(({ name }) => name)).toEqual(["new", "newer"]);
});

test("skills are sorted by scope, name and path, without duplicates", async () => {
  const { files, catalog } = createCatalog({});
  const expected = [
    ["repo", "z", files.skill(".agents/skills/z", "z")],
    ["user", "a", files.skill("home/skills/a", "a")],
    ["user", "a", files.skill("home/skills/a-b", "a")],
    ["user", "a", files.skill("user/.agents/skills/a", "a")],
    ["user", "b", files.skill("user/.agents/skills/b", "b")],
    ["system", "a", files.skill("home/skills/.system/a", "a")],
    ["admin", "a", files.skill("etc/skills/a", "a")],
  ];
  files.link("etc/skills/again", files.path("home/skills/a"));
  const broken = files.write("etc/skills/broken/SKILL.md", "");
  const result = await catalog.list(files.folder);
  expect(result.ok && result.listing.skills.map(({ scope, name, path }) => [scope, name, path])).toEqual(
    expected,
  );
  expect(result.ok && result.listing.faults).toEqual([
    { path: broken, message: "missing YAML frontmatter delimited by ---" },
  ]);
});

test("scans are cached until a refresh, and rules apply immediately", async () => {
  const { files, catalog, names, state, settings } = createCatalog();
  files.skill("home/skills/a", "a");
  expect(await names()).toEqual(["a"]);
  files.skill("home/skills/b", "b");
  expect(await names()).toEqual(["a"]);
  state.settings = { ok: true, settings: { ...settings, rules: [{ name: "a", enabled: false }] } };
  expect(await names()).toEqual(["a (off)"]);
  catalog.refresh();
  expect(await names()).toEqual(["a (off)", "b"]);
});

test("without settings there is no list", async () => {
  const { files, catalog, state } = createCatalog();
  state.settings = { ok: false, message: "broken" };
  expect(await catalog.list(files.folder)).toEqual({ ok: false, message: "broken" });
});

test("extra roots are replaced with an immediate notification", async () => {
  const { files, catalog, names, notifications } = createCatalog();
  files.skill("one/a", "a");
  files.skill("two/b", "b");
  catalog.setExtraRoots([files.path("one"), files.path("missing")]);
  expect(await names()).toEqual(["a"]);
  catalog.setExtraRoots([files.path("two")]);
  expect(await names()).toEqual(["b"]);
  catalog.setExtraRoots([]);
  expect(await names()).toEqual([]);
  expect(notifications).toHaveBeenCalledTimes(3);
});

test("nothing is watched before `watch`, and bundled skills never are", async () => {
  const { files, catalog, names, open } = createCatalog();
  files.skill("home/skills/a", "a");
  files.skill("home/skills/.system/s", "s");
  await names();
  expect(open.size).toBe(0);
  catalog.watch();
  await names();
  expect([...open.keys()].toSorted()).toEqual([
    files.folder,
    files.path("home/skills"),
    files.path("home/skills/a"),
  ]);
  catalog.close();
  expect(open.size).toBe(0);
});

test("changes are debounced, and notified at most once per interval", async () => {
  const { files, catalog, names, open, clock, notifications } = createCatalog();
  const path = files.skill("home/skills/a", "a");
  catalog.watch();
  await names();
  const change = () => open.get(files.path("home/skills/a"))?.("change", "SKILL.md");
  writeFileSync(path, "---\nname: b\ndescription: d\n---\n");
  change();
  change();
  expect(await names()).toEqual(["b"]);
  clock.advance(DEBOUNCE_MS - 1);
  expect(notifications).toHaveBeenCalledTimes(0);
  clock.advance(1);
  expect(notifications).toHaveBeenCalledTimes(1);
  change();
  clock.advance(CHANGE_INTERVAL_MS - 1);
  expect(notifications).toHaveBeenCalledTimes(1);
  clock.advance(1);
  expect(notifications).toHaveBeenCalledTimes(2);
});

test("a closed catalog sends no notifications", async () => {
  const { files, catalog, names, open, clock, notifications } = createCatalog();
  files.skill("home/skills/a", "a");
  catalog.watch();
  await names();
  open.get(files.path("home/skills/a"))?.("change", "SKILL.md");
  catalog.close();
  expect(clock.waiting).toEqual([]);
  clock.advance(10_000);
  expect(notifications).toHaveBeenCalledTimes(0);
});

test("concurrent lists share their scan, and a change invalidates it", async () => {
  const { files, catalog, names, open } = createCatalog();
  files.skill("home/skills/a", "a");
  catalog.watch();
  const first = names();
  const second = names();
  expect(await Promise.all([first, second])).toEqual([["a"], ["a"]]);
  files.skill("home/skills/b", "b");
  open.get(files.path("home/skills"))?.("rename", "b");
  expect(await names()).toEqual(["a", "b"]);
});

test("an evicted root is not watched, and a refreshed one is", async () => {
  const { files, catalog, names, open, clock, notifications } = createCatalog();
  files.skill("extra/a", "a");
  files.skill("home/skills/b", "b");
  catalog.setExtraRoots([files.path("extra")]);
  catalog.watch();
  await names();
  catalog.setExtraRoots([]);
  expect([...open.keys()].toSorted()).toEqual([
    files.folder,
    files.path("home/skills"),
    files.path("home/skills/b"),
  ]);
  notifications.mockClear();
  open.get(files.path("home/skills/b"))?.("change", "SKILL.md");
  clock.advance(CHANGE_INTERVAL_MS);
  expect(notifications).toHaveBeenCalledTimes(1);
});

test("the number of cached and watched roots is limited", async () => {
  const { files, catalog, names, open } = createCatalog();
  const extra = Array.from(
    { length: MAX_CACHED_ROOTS + 10 },
    (_, index) => `extra${String(index).padStart(3, "0")}`,
  );
  for (const [index, root] of extra.entries())
    files.skill(`${root}/a`, `skill ${String(index).padStart(3, "0")}`);
  catalog.setExtraRoots(extra.map((root) => files.path(root)));
  catalog.watch();
  expect((await names()).length).toBe(extra.length);
  expect([...open.keys()].filter((folder) => folder.includes("extra")).length).toBe(2 * MAX_CACHED_ROOTS);
});
