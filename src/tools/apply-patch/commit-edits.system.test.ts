import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import fc from "fast-check";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import { commitEdits } from "./commit-edits.ts";
import { parsePatch } from "./parse-patch.ts";
import { nodeFileSystem, type PatchFileSystem } from "./patch-file-system.ts";
import { createPatchFolder, type PatchFolder, patchOf } from "./patch-folder.fixture.ts";
import { planEdits } from "./plan-edits.ts";

const folders: PatchFolder[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function folderOf(files: Record<string, string | Buffer>): PatchFolder {
  const folder = createPatchFolder(files);
  folders.push(folder);
  return folder;
}

async function apply(folder: PatchFolder, text: string, fs = nodeFileSystem): Promise<string> {
  const parsed = parsePatch(text);
  if (parsed.kind === "invalid") return parsed.message;
  const planned = await planEdits(nodeFileSystem, parsed.patch.hunks, folder.path);
  if (planned.kind === "failed") return planned.message;
  const committed = await commitEdits(planned.edits, { fs, id: "test" });
  return committed.kind === "failed" ? committed.message : "done";
}

/** Lets the nth call fail, counted over all functions that change something, or does something else before it. */
function failing(nth: number, act = fail): { fs: PatchFileSystem; calls: () => number } {
  let calls = 0;
  const guard = <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      calls += 1;
      if (calls === nth) act();
      return run(...args);
    };
  };
  const { link, mkdir, open, rename } = nodeFileSystem;
  const fs = {
    ...nodeFileSystem,
    link: guard(link),
    mkdir: guard(mkdir as (path: string) => Promise<void>),
    open: guard(open),
    rename: guard(rename),
  };
  return { fs: fs as PatchFileSystem, calls: () => calls };
}

function fail(): void {
  throw Object.assign(new Error("EIO: injected"), { code: "EIO" });
}

const START = { "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" };
const PATCH = patchOf(
  "*** Update File: a.txt",
  "@@",
  "-one",
  "+1",
  "*** Delete File: b.txt",
  "*** Add File: new/dir/d.txt",
  "+four",
  "*** Update File: c.txt",
  "*** Move to: moved/c.txt",
  "@@",
  "-three",
  "+3",
);
const END = { "a.txt": "1\n", "moved/c.txt": "3\n", "new/dir/d.txt": "four\n" };

describe("the edits of a patch", () => {
  test("are done together and leave nothing else behind", async () => {
    const folder = folderOf(START);
    expect(await apply(folder, PATCH)).toBe("done");
    expect(folder.files()).toEqual(END);
  });

  test("are all undone whichever step fails", async () => {
    const counted = failing(0);
    await apply(folderOf(START), PATCH, counted.fs);
    expect(counted.calls()).toBeGreaterThan(8);
    for (let nth = 1; nth <= counted.calls(); nth += 1) {
      const folder = folderOf(START);
      expect(await apply(folder, PATCH, failing(nth).fs)).toMatch(/^Failed to \w/);
      expect(folder.files()).toEqual(START);
      expect(() => statSync(folder.at("new"))).toThrow("ENOENT");
    }
  });

  test("are done on file systems without hard links", async () => {
    const link = async () => {
      throw Object.assign(new Error("no links"), { code: "EPERM" });
    };
    const folder = folderOf(START);
    expect(await apply(folder, PATCH, { ...nodeFileSystem, link })).toBe("done");
    expect(folder.files()).toEqual(END);
  });

  test("report when they cannot be undone", async () => {
    let renames = 0;
    const rename = async (from: string, to: string) => {
      renames += 1;
      if (renames > 1) throw new Error("injected");
      return nodeFileSystem.rename(from, to);
    };
    const fs = { ...nodeFileSystem, rename } as PatchFileSystem;
    const folder = folderOf(START);
    const message = await apply(folder, PATCH, fs);
    expect(message).toContain("could not undo everything");
    expect(Object.values(folder.files())).toContain("one\n");
  });

  test("preserve file modes, also of moved files", async () => {
    const folder = folderOf(START);
    chmodSync(folder.at("a.txt"), 0o755);
    chmodSync(folder.at("c.txt"), 0o700);
    await apply(folder, PATCH);
    expect(statSync(folder.at("a.txt")).mode & 0o777).toBe(0o755);
    expect(statSync(folder.at("moved/c.txt")).mode & 0o777).toBe(0o700);
  });

  test("leave nothing to undo where nothing may be written", async () => {
    const folder = folderOf({});
    const refuse = () => Promise.reject(Object.assign(new Error("EROFS"), { code: "EROFS" }));
    const fs = { ...nodeFileSystem, open: refuse, unlink: refuse } as PatchFileSystem;
    const message = await apply(folder, patchOf("*** Add File: new.txt", "+new"), fs);
    expect(message).toBe(`Failed to write file ${folder.at("new.txt")}`);
  });

  test("do not replace a file that appears at the path of a new one", async () => {
    const folder = folderOf({});
    const open = async (path: string, flags: string, mode: number) => {
      folder.put({ "new.txt": "mine\n" });
      return nodeFileSystem.open(path, flags, mode);
    };
    const fs = { ...nodeFileSystem, open } as PatchFileSystem;
    const message = await apply(folder, patchOf("*** Add File: new.txt", "+theirs"), fs);
    expect(message).toBe(`Failed to write file ${folder.at("new.txt")}`);
    expect(folder.files()).toEqual({ "new.txt": "mine\n" });
  });
});

describe("links", () => {
  test("are written through, even to a missing file", async () => {
    const folder = folderOf({ "real/a.txt": "one\n" });
    symlinkSync("real/a.txt", folder.at("a"));
    symlinkSync("real/new.txt", folder.at("n"));
    const text = patchOf("*** Update File: a", "@@", "-one", "+1", "*** Add File: n", "+x");
    expect(await apply(folder, text)).toBe("done");
    expect(folder.files()).toEqual({
      a: "-> real/a.txt",
      n: "-> real/new.txt",
      "real/a.txt": "1\n",
      "real/new.txt": "x\n",
    });
  });

  test("are removed themselves", async () => {
    const folder = folderOf({ "a.txt": "one\n" });
    symlinkSync("a.txt", folder.at("link"));
    expect(await apply(folder, patchOf("*** Delete File: link"))).toBe("done");
    expect(folder.files()).toEqual({ "a.txt": "one\n" });
  });

  test("to one file are one edit", async () => {
    const folder = folderOf({ "a.txt": "one\ntwo\n" });
    symlinkSync("a.txt", folder.at("link"));
    const text = patchOf(
      "*** Update File: a.txt",
      "@@",
      "-one",
      "+1",
      "*** Update File: link",
      "@@",
      " 1",
      "-two",
      "+2",
    );
    expect(await apply(folder, text)).toBe("done");
    expect(folder.files()).toEqual({ "a.txt": "1\n2\n", link: "-> a.txt" });
  });
});

describe("a folder that is swapped for a symlink while a patch creates folders in it", () => {
  /** Adds a file in new folders of `in`, and says what there is in `out` afterwards. */
  async function addDeep(folder: PatchFolder, name: string, fs = nodeFileSystem): Promise<string[]> {
    const path = folder.at(`in/${name}/deep/d.txt`);
    const after = { bytes: Buffer.from("four\n"), kind: "file", executable: false } as const;
    await commitEdits([{ path, before: undefined, after, mode: undefined, failure: "" }], { fs, id: "test" });
    return readdirSync(folder.at("out"));
  }

  test("before any step, and swapped back before the undo, leaves nothing behind the symlink", async () => {
    const steps = failing(0);
    await addDeep(folderOf({ "in/kept.txt": "", "out/kept.txt": "" }), "new", steps.fs);
    for (let nth = 1; nth <= steps.calls(); nth += 1) {
      const folder = folderOf({ "in/kept.txt": "", "out/kept.txt": "" });
      const { fs } = failing(nth, () => {
        renameSync(folder.at("in"), folder.at("moved"));
        symlinkSync(folder.at("out"), folder.at("in"));
      });
      const rmdir = async (path: string) => {
        rmSync(folder.at("in"), { force: true });
        if (existsSync(folder.at("moved"))) renameSync(folder.at("moved"), folder.at("in"));
        await nodeFileSystem.rmdir(path);
      };
      const found = await addDeep(folder, "new", { ...fs, rmdir } as PatchFileSystem);
      expect([nth, found]).toEqual([nth, ["kept.txt"]]);
    }
  });

  test("continuously, by another process, leaves nothing behind the symlink", {
    timeout: 60_000,
  }, async () => {
    const folder = folderOf({ "in/kept.txt": "", "out/kept.txt": "" });
    const script = `
      const { renameSync, symlinkSync, rmSync } = require("node:fs");
      const [, at] = process.argv;
      process.stdout.write("up");
      for (;;) {
        try {
          renameSync(at + "/in", at + "/moved");
          symlinkSync(at + "/out", at + "/in");
          rmSync(at + "/in");
          renameSync(at + "/moved", at + "/in");
        } catch {}
      }`;
    const racer = spawn(process.execPath, ["-e", script, folder.path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void racer.kill("SIGKILL"));
    await once(racer.stdout, "data");
    for (let count = 0; count < 100; count += 1) {
      expect(await addDeep(folder, `new${count}`)).toEqual(["kept.txt"]);
    }
  });
});

describe("a move", () => {
  test("onto itself is an update", async () => {
    const folder = folderOf({ "a.txt": "one\n" });
    const text = patchOf("*** Update File: a.txt", "*** Move to: ./a.txt", "@@", "-one", "+1");
    expect(await apply(folder, text)).toBe("done");
    expect(folder.files()).toEqual({ "a.txt": "1\n" });
  });

  test("replaces an existing file", async () => {
    const folder = folderOf({ "a.txt": "one\n", "b.txt": Buffer.from([0xff]) });
    const text = patchOf("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-one", "+1");
    expect(await apply(folder, text)).toBe("done");
    expect(folder.files()).toEqual({ "b.txt": "1\n" });
  });
});

test("any sequence of edits to several files has the expected result", async () => {
  const name = fc.constantFrom("a", "b", "c/d", "c/e");
  const lines = fc.array(fc.constantFrom("x", "y", "z", ""), { minLength: 1, maxLength: 6 });
  const text = (all: readonly string[]) => all.map((line) => `${line}\n`).join("");
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(name, lines),
      fc.dictionary(name, fc.option(lines)),
      async (start, wanted) => {
        const hunks = Object.entries(wanted).flatMap(([path, after]) => {
          const before = start[path];
          if (before === undefined) {
            return after === null ? [] : [`*** Add File: ${path}`, ...after.map((line) => `+${line}`)];
          }
          if (after === null) return [`*** Delete File: ${path}`];
          const changes = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
          return [`*** Update File: ${path}`, "@@", ...changes];
        });
        const folder = createPatchFolder(
          Object.fromEntries(Object.entries(start).map(([path, all]) => [path, text(all)])),
        );
        try {
          expect(await apply(folder, patchOf(...hunks))).toBe("done");
          const end = Object.entries({ ...start, ...wanted }).filter(([, all]) => all !== null);
          expect(folder.files()).toEqual(
            Object.fromEntries(end.map(([path, all]) => [path, text(all ?? [])])),
          );
        } finally {
          folder.remove();
        }
      },
    ),
    propertyRuns(30),
  );
});
