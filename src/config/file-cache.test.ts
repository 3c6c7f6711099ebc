import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createTestHome, lateClock } from "./config.fixture.ts";
import { createFileCache, type FileState } from "./file-cache.ts";
import { toJson } from "./toml/toml-value.ts";

const tableOf = (state: FileState) => (state.kind === "table" ? toJson(state.table) : state.kind);

describe("file cache", () => {
  test("gives the same object until the file changes", async () => {
    const { configFile } = createTestHome("a = 1\n");
    const cache = createFileCache(lateClock);
    const first = await cache.read(configFile);
    expect(await cache.read(configFile)).toBe(first);
    writeFileSync(configFile, "a = 22\n");
    expect(tableOf(await cache.read(configFile))).toEqual({ a: 22 });
  });

  test("sees a change of equal size in the same tick of the file system's clock", async () => {
    const { configFile } = createTestHome("a = 1\n");
    const cache = createFileCache(systemClock);
    await cache.read(configFile);
    const { atime, mtime } = statSync(configFile);
    writeFileSync(configFile, "a = 2\n");
    utimesSync(configFile, atime, mtime);
    expect(tableOf(await cache.read(configFile))).toEqual({ a: 2 });
  });

  test("sees a file come, go and be replaced", async () => {
    const home = createTestHome();
    const cache = createFileCache(lateClock);
    const missing = await cache.read(home.configFile);
    expect(await cache.read(home.configFile)).toBe(missing);
    home.write("home/config.toml", "a = 1\n");
    expect(tableOf(await cache.read(home.configFile))).toEqual({ a: 1 });
    renameSync(home.write("home/other", "a = 2\n"), home.configFile);
    expect(tableOf(await cache.read(home.configFile))).toEqual({ a: 2 });
    rmSync(home.configFile);
    expect(tableOf(await cache.read(home.configFile))).toBe("missing");
  });

  test("a file below something that is no folder does not exist", async () => {
    const { configFile } = createTestHome("");
    expect(tableOf(await createFileCache(systemClock).read(`${configFile}/inside`))).toBe("missing");
  });
});
