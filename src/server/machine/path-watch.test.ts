import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { MAX_PATHS_AT_ONCE, openPathWatch } from "./path-watch.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-watch-")));
  const created = root;
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
  mkdirSync(join(root, "d"));
  writeFileSync(join(root, "f"), "1");
});
const at = (name: string) => join(root, name);

/** Opens a watch, and returns its reports one after the other. */
async function watching(path: string) {
  const told: string[][] = [];
  let wake = (): void => {};
  const watch = await openPathWatch({
    path,
    clock: systemClock,
    log: silentLogger,
    onChange(paths) {
      told.push(paths);
      wake();
    },
  });
  onTestFinished(() => watch.close());
  return {
    watch,
    told,
    async next(): Promise<string[]> {
      if (told.length === 0) await new Promise<void>((resolve) => void (wake = resolve));
      return told.shift() ?? [];
    },
  };
}

describe("a watch on a file", () => {
  test("tells of what is written to it, of its mode, and that it was removed and made again", async () => {
    const { next, told } = await watching(at("f"));
    writeFileSync(at("other"), "");
    readFileSync(at("f"));
    for (const change of [
      () => writeFileSync(at("f"), "2"),
      () => chmodSync(at("f"), 0o600),
      () => rmSync(at("f")),
      () => writeFileSync(at("f"), "3"),
      () => writeFileSync(at("f"), "4"),
    ]) {
      change();
      expect(await next()).toEqual([at("f")]);
    }
    expect(told).toEqual([]);
  });

  test("goes on when another file takes its place", async () => {
    const { next } = await watching(at("f"));
    writeFileSync(at("new"), "5");
    renameSync(at("new"), at("f"));
    expect(await next()).toEqual([at("f")]);
    writeFileSync(at("f"), "6");
    expect(await next()).toEqual([at("f")]);
  });

  test("sees what a link leads to, and names the link", async () => {
    symlinkSync("../f", at("d/link"));
    const { next } = await watching(at("d/link"));
    writeFileSync(at("f"), "2");
    expect(await next()).toEqual([at("d/link")]);
  });
});

describe("a watch on a folder", () => {
  test("tells of its direct children together, and not of what is below them", async () => {
    const { next, told } = await watching(root);
    writeFileSync(at("d/inner"), "");
    writeFileSync(at("z"), "");
    writeFileSync(at("a"), "");
    expect(await next()).toEqual([at("a"), at("z")]);
    expect(told).toEqual([]);
  });

  test("names only the folder when too many have changed at once", async () => {
    const { next } = await watching(at("d"));
    for (let index = 0; index <= MAX_PATHS_AT_ONCE; index += 1) writeFileSync(at(`d/${index}`), "");
    expect(await next()).toEqual([at("d")]);
  });

  test("goes on when the folder was removed and made again", async () => {
    const { next } = await watching(at("d"));
    rmSync(at("d"), { recursive: true });
    expect(await next()).toEqual([at("d")]);
    mkdirSync(at("d"));
    expect(await next()).toEqual([at("d")]);
    writeFileSync(at("d/x"), "");
    expect(await next()).toEqual([at("d/x")]);
  });
});

describe("a watch on what is not there", () => {
  test("tells when it appears, however deep, and when it goes", async () => {
    const { next, told } = await watching(at("new/deep/x"));
    mkdirSync(at("new/deep"), { recursive: true });
    writeFileSync(at("new/deep/x"), "1");
    expect(await next()).toEqual([at("new/deep/x")]);
    rmSync(at("new"), { recursive: true });
    expect(await next()).toEqual([at("new/deep/x")]);
    mkdirSync(at("new/deep/x"), { recursive: true });
    expect(await next()).toEqual([at("new/deep/x")]);
    expect(told).toEqual([]);
  });
});

test("a watch that was closed tells nothing more", async () => {
  const { watch, told } = await watching(root);
  const { next } = await watching(root);
  writeFileSync(at("f"), "2");
  watch.close();
  expect(await next()).toEqual([at("f")]);
  expect(told).toEqual([]);
});
