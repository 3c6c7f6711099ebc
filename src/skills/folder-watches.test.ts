import { mkdirSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { silentLogger } from "../base/logger.ts";
import type { FolderListener } from "../base/watch-folder.ts";
import { FolderWatches, type FolderWatchesOptions } from "./folder-watches.ts";
import { createSkillFiles } from "./skill-files.fixture.ts";

function createWatches(options: Partial<FolderWatchesOptions> = {}) {
  const open = new Map<string, FolderListener>();
  const changed: string[] = [];
  const watches = new FolderWatches({
    log: silentLogger,
    onChange: (root) => changed.push(root),
    watchFolder(folder, onEvent) {
      open.set(folder, onEvent);
      return () => open.delete(folder);
    },
    ...options,
  });
  return { watches, open, changed };
}

test.each([
  ["change", "SKILL.md", true],
  ["change", "openai.yaml", true],
  ["change", "notes.md", false],
  ["rename", "SKILL.md", true],
  ["rename", "folder", true],
  ["rename", ".SKILL.md.swp", false],
  ["rename", ".codex-plugin", true],
  ["rename", null, true],
] as const)("%s of %s matters: %s", (event, name, isRelevant) => {
  const { watches, open, changed } = createWatches();
  watches.restart("/root")("/root/a");
  open.get("/root/a")?.(event, name);
  expect(changed).toEqual(isRelevant ? ["/root"] : []);
});

test("a restart drops the watches, and the earlier function adds no more", () => {
  const { watches, open } = createWatches();
  const first = watches.restart("/root");
  first("/root/a");
  const second = watches.restart("/root");
  second("/root/b");
  first("/root/c");
  expect([...open.keys()]).toEqual(["/root/b"]);
});

test("the limit applies to all roots together, and stopped watches do not count", () => {
  const { watches, open } = createWatches({ limit: 2 });
  const add = watches.restart("/one");
  add("/one/a");
  add("/one/b");
  watches.restart("/two")("/two/a");
  expect([...open.keys()]).toEqual(["/one/a", "/one/b"]);
  watches.stop("/one");
  watches.restart("/two")("/two/a");
  expect([...open.keys()]).toEqual(["/two/a"]);
  watches.close();
  expect({ open: open.size, size: watches.size }).toEqual({ open: 0, size: 0 });
});

test("a folder that cannot be watched is skipped", () => {
  const { watches } = createWatches({
    watchFolder: () => {
      throw new Error("ENOSPC");
    },
  });
  watches.restart("/root")("/root/a");
  expect(watches.size).toBe(0);
});

test("a missing root is watched through its nearest existing parent", async () => {
  const files = createSkillFiles();
  const root = files.path("a/b/skills");
  const { watches, open, changed } = createWatches();
  watches.restart(root);
  await watches.awaitRoot(root);
  const listener = open.get(files.folder);
  listener?.("rename", "other");
  expect(changed).toEqual([]);
  listener?.("rename", "a");
  expect(changed).toEqual([root]);
});

test("a root that was stopped meanwhile is not watched", async () => {
  const { watches, open } = createWatches();
  watches.restart("/missing/root");
  const waiting = watches.awaitRoot("/missing/root");
  watches.stop("/missing/root");
  await waiting;
  expect(open.size).toBe(0);
});

test("changes on disk are reported", async () => {
  const files = createSkillFiles();
  const path = files.skill("skills/a", "a");
  const changed = vi.fn<(root: string) => void>();
  const watches = new FolderWatches({ log: silentLogger, onChange: changed });
  onTestFinished(() => watches.close());
  watches.restart(files.path("skills"))(files.path("skills/a"));
  watches.restart(files.path("missing"));
  await watches.awaitRoot(files.path("missing"));
  writeFileSync(path, "changed");
  mkdirSync(files.path("missing"));
  await vi.waitFor(() => {
    expect(new Set(changed.mock.calls.flat())).toEqual(
      new Set([files.path("skills"), files.path("missing")]),
    );
  });
});
