import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createFakeClock } from "../base/fake-clock.fixture.ts";
import type { FileSearchHost } from "./file-search.ts";
import { createLocalSearchHost } from "./local-search-host.ts";
import { findSearchWorker, openSearchHost, openWorkerSearchHost } from "./open-search-host.ts";

let built = "";
let root = "";
beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), "heddle-search-worker-"));
  buildSync({
    entryPoints: { "search-worker": resolve("src/search/search-worker-main.ts") },
    outdir: built,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
  });
  root = mkdtempSync(join(tmpdir(), "heddle-search-"));
  for (let folder = 0; folder < 100; folder += 1) {
    mkdirSync(join(root, `folder-${folder}`));
    for (let file = 0; file < 20; file += 1)
      writeFileSync(join(root, `folder-${folder}`, `file-${file}`), "");
  }
});
afterAll(() => {
  rmSync(built, { recursive: true });
  rmSync(root, { recursive: true });
});

const options = { cwd: "/", userIgnoreFile: null, maxFiles: 10_000 };

/** Resolves with the matches on completion. */
function searchOnce(host: FileSearchHost, query: string): Promise<string[]> {
  return new Promise((done) => {
    let best: string[] = [];
    const search = host.open(
      { roots: [root], query },
      {
        onUpdate: (_, files) => void (best = files.map(({ path }) => path)),
        onComplete() {
          search.close();
          done(best);
        },
      },
    );
  });
}

describe.each<[string, () => FileSearchHost]>([
  ["in this thread", () => createLocalSearchHost({ ...options, clock: systemClock })],
  [
    "in a thread of its own",
    () => openWorkerSearchHost({ ...options, clock: systemClock, file: join(built, "search-worker.cjs") }),
  ],
])("a search %s", (_, open) => {
  function openHost() {
    const host = open();
    onTestFinished(() => host.close());
    return host;
  }

  test("runs several searches concurrently", async () => {
    const host = openHost();
    const found = await Promise.all([searchOnce(host, "folder-7/file-7$"), searchOnce(host, "nothing")]);
    expect(found).toEqual([["folder-7/file-7"], []]);
  });

  test("accepts another query before and after completion", async () => {
    const host = openHost();
    const heard = new Map<string, number>();
    const search = host.open(
      { roots: [root], query: "folder-1" },
      {
        onUpdate: (query, files) => heard.set(query, files.length),
        onComplete: (query) => {
          if (query === "folder-42$") search.update("^folder-9/");
          else if (query === "^folder-9/") finish();
        },
      },
    );
    let finish = (): void => {};
    const finished = new Promise<void>((done) => void (finish = done));
    search.update("folder-42$");
    await finished;
    expect([heard.get("folder-42$"), heard.get("^folder-9/")]).toEqual([1, 20]);
  });

  test("reports nothing after close", async () => {
    const host = openHost();
    const heard: string[] = [];
    const listener = { onUpdate: () => heard.push("update"), onComplete: () => heard.push("complete") };
    host.open({ roots: [root], query: "file" }, listener).close();
    await searchOnce(host, "file");
    expect(heard).toEqual([]);
  });
});

test("files beyond the limit are ignored", async () => {
  const host = createLocalSearchHost({ ...options, maxFiles: 150, clock: systemClock });
  const seen = await searchOnce(host, "^folder-99");
  expect([seen.includes("folder-99"), (await searchOnce(host, "file")).length]).toEqual([true, 50]);
  const few = createLocalSearchHost({ ...options, maxFiles: 10, clock: systemClock });
  expect(await searchOnce(few, "folder")).toHaveLength(10);
});

test("a crashed thread completes its searches, and the next search starts another", async () => {
  const broken = join(built, "broken.cjs");
  writeFileSync(broken, "throw new Error('no');");
  const host = openWorkerSearchHost({ ...options, clock: systemClock, file: broken });
  expect([await searchOnce(host, "file"), await searchOnce(host, "file")]).toEqual([[], []]);
  await host.close();
});

test("an idle thread is terminated", async () => {
  const clock = createFakeClock();
  const host = openWorkerSearchHost({ ...options, clock, file: join(built, "search-worker.cjs") });
  await searchOnce(host, "folder-1$");
  expect(clock.waiting).toHaveLength(1);
  clock.advance(clock.waiting[0] ?? 0);
  expect(await searchOnce(host, "folder-1$")).toEqual(["folder-1"]);
  await host.close();
});

test("the worker's bundle is found beside the bundle and above, and is optional", async () => {
  expect(findSearchWorker(join(built, "a/b/main.cjs"))).toBe(join(built, "search-worker.cjs"));
  expect(findSearchWorker(join(root, "main.cjs"))).toBe(null);
  for (const file of [null, join(built, "search-worker.cjs")]) {
    const host = openSearchHost(file, { ...options, clock: systemClock });
    expect(await searchOnce(host, "folder-5$")).toEqual(["folder-5"]);
    await host.close();
  }
});
