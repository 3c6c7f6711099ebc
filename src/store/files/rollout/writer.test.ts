import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../../../base/tasks.ts";
import { completed, started } from "../../lines/lines.fixture.ts";
import { clock, fileText, meta, ordinalsOf, readAll, temporaryFolder } from "./rollout.fixture.ts";
import { openWritable, type SyncFile, type WritableFile } from "./writable-file.ts";
import { RolloutWriter, type WriteOutcome, type WriterOptions } from "./writer.ts";

function newPath(): string {
  return join(temporaryFolder(), "sessions", "2026", "rollout.jsonl");
}

function writerOf(path: string, options: Partial<WriterOptions> = {}): RolloutWriter {
  const writer = new RolloutWriter({ path, clock, ...options });
  onTestFinished(() => writer.close());
  return writer;
}

function reasonOf(outcome: WriteOutcome): string {
  return outcome.kind === "written" ? "written" : outcome.reason;
}

function failure(code: string, errno: number): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code, errno: -errno });
}

/** Opens the real file, with some of its calls replaced. */
function opening(change: (file: WritableFile) => Partial<WritableFile>) {
  return async (path: string): Promise<WritableFile> => {
    const { sync: _sync, ...file } = await openWritable(path);
    return { ...file, ...change(file) };
  };
}

/** A write that stops after twenty bytes while the switch is on. */
function stopping(
  file: WritableFile,
  failing: { on: boolean },
  error: NodeJS.ErrnoException,
): WritableFile["write"] {
  return (bytes, offset) => {
    if (!failing.on) return file.write(bytes, offset);
    return offset === 0 ? file.write(bytes.subarray(0, 20), 0) : Promise.reject(error);
  };
}

/** The real file, whose synchronous writes stop after twenty bytes while the switch is on. */
function stoppingNow(failing: { on: boolean }, error: NodeJS.ErrnoException, change: Partial<SyncFile> = {}) {
  return async (path: string): Promise<WritableFile> => {
    const { sync, ...file } = await openWritable(path);
    if (sync === undefined) throw new Error("the file has no synchronous operations");
    return {
      ...file,
      sync: {
        ...sync,
        write(bytes) {
          sync.write(failing.on ? bytes.subarray(0, 20) : bytes);
          if (failing.on) throw error;
        },
        ...change,
      },
    };
  };
}

/** The queue has been drained, so that the next append need not wait. */
async function drained(writer: RolloutWriter): Promise<void> {
  await writer.append([meta()]);
  await new Promise((resolve) => setImmediate(resolve));
}

describe("appending", () => {
  test("returns the outcome itself where nothing has to be waited for", async () => {
    const path = newPath();
    const writer = writerOf(path);
    await drained(writer);
    const outcomes = [writer.append([started("one")]), writer.append([completed("one")])];
    expect(outcomes.map((outcome) => outcome instanceof Promise)).toEqual([false, false]);
    expect(readFileSync(path, "utf8")).toBe(fileText([meta(), started("one"), completed("one")]));
  });

  test.each<[string, Partial<WriterOptions>]>([
    ["the disk has to confirm it", { durability: "fsync" }],
    ["the lease takes a look", { isOurs: async () => true }],
  ])("waits where %s", async (_, options) => {
    const writer = writerOf(newPath(), options);
    await drained(writer);
    const outcome = writer.append([started("one")]);
    expect(outcome).toBeInstanceOf(Promise);
    expect(await outcome).toMatchObject({ kind: "written" });
  });

  test("makes the file and its folders, and says where each line went", async () => {
    const path = newPath();
    const writer = writerOf(path);
    const first = await writer.append([meta(), started("one")]);
    const second = await writer.append([completed("one")]);
    const places = (await readAll(path)).map(({ line, offset, length }) => ({
      ordinal: line.ordinal,
      offset,
      length,
    }));
    expect([first, second]).toEqual([
      { kind: "written", lines: places.slice(0, 2) },
      { kind: "written", lines: places.slice(2) },
    ]);
    expect(readFileSync(path, "utf8")).toBe(fileText([meta(), started("one"), completed("one")]));
  });

  test("keeps the order of the calls, and writes what came meanwhile at once", async () => {
    const path = newPath();
    const [begun, released] = [createDeferred<void>(), createDeferred<void>()];
    let writes = 0;
    const openFile = opening((file) => ({
      async write(bytes, offset) {
        writes += 1;
        begun.resolve();
        await released.promise;
        return file.write(bytes, offset);
      },
    }));
    const writer = writerOf(path, { openFile });
    const turns = Array.from({ length: 500 }, (_, at) => `turn-${at}`);
    const first = turns.slice(0, 3).map((turn) => writer.append([started(turn)]));
    await begun.promise;
    const others = turns.slice(3).map((turn) => writer.append([started(turn)]));
    released.resolve();
    await Promise.all([...first, ...others]);
    expect((await readAll(path)).map(({ line }) => line.payload["turn_id"])).toEqual(turns);
    expect(writes).toBe(2);
  });

  test("takes a line of a megabyte", async () => {
    const path = newPath();
    const payload = { type: "x", text: "é".repeat(500_000) };
    await writerOf(path).append([{ type: "event_msg", payload }]);
    expect((await readAll(path)).map(({ line }) => line.payload)).toEqual([payload]);
  });

  test("keeps what was said at the time of the call, whatever becomes of the objects", async () => {
    const path = newPath();
    const payload = { type: "x", text: "before" };
    const done = writerOf(path).append([{ type: "event_msg", payload }]);
    payload.text = "after";
    await done;
    expect((await readAll(path)).map(({ line }) => line.payload["text"])).toEqual(["before"]);
  });

  test("goes on with the ordinals of an existing file, or from those of the file it is based on", async () => {
    const [existing, based] = [newPath(), newPath()];
    await writerOf(existing).append([meta(), started("one")]);
    await writerOf(existing).append([completed("one")]);
    await writerOf(based, { firstOrdinal: 33 }).append([meta(), started("two")]);
    expect([await ordinalsOf(existing), await ordinalsOf(based)]).toEqual([
      [0, 1, 2],
      [33, 34],
    ]);
  });

  test("gives a legacy file no ordinals", async () => {
    const path = newPath();
    await writerOf(path, { legacy: true }).append([meta({ historyMode: "legacy" })]);
    await writerOf(path).append([started("one")]);
    expect(await ordinalsOf(path)).toEqual([undefined, undefined]);
  });

  test("reaches the disk before it settles, when that is asked for", async () => {
    const path = newPath();
    const calls: string[] = [];
    const openFile = opening((file) => ({
      datasync: async () => {
        await file.datasync();
        calls.push("synced");
      },
    }));
    await writerOf(path, { openFile, durability: "fsync" }).append([meta()]);
    calls.push("settled");
    expect(calls).toEqual(["synced", "settled"]);
  });
});

describe("after a crash", () => {
  test("a file that was cut anywhere takes further lines, and nothing readable is lost", async () => {
    const bytes = Buffer.from(fileText([meta(), started("one"), completed("one", "é😀")]));
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), async (cut) => {
        const path = join(temporaryFolder(), "rollout.jsonl");
        writeFileSync(path, bytes.subarray(0, cut));
        const before = await readAll(path);
        await writerOf(path).append([started("new"), completed("new")]);
        const faults: string[] = [];
        const after = await readAll(path, { onFault: ({ reason }) => faults.push(reason) });
        expect(after.slice(0, before.length)).toEqual(
          before.map((line) => ({ ...line, length: after[before.indexOf(line)]?.length })),
        );
        expect(after.map(({ line }) => line.ordinal)).toEqual(
          Array.from({ length: before.length + 2 }, (_, at) => at),
        );
        expect(faults).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test("ordinals go on behind lines that cannot be read", async () => {
    const path = join(temporaryFolder(), "rollout.jsonl");
    writeFileSync(path, `${fileText([meta(), started("one")])}garbage\n{"type":"x","payload":{}}\n`);
    await writerOf(path).append([completed("one")]);
    expect(await ordinalsOf(path)).toEqual([0, 1, undefined, 2]);
  });
});

describe("a write that fails", () => {
  test("half-way leaves no torn line behind, and the next one succeeds with the same ordinal", async () => {
    const path = newPath();
    const failing = { on: false };
    const openFile = opening((file) => ({
      write: stopping(file, failing, failure("ENOSPC", 28)),
    }));
    const writer = writerOf(path, { openFile });
    await writer.append([meta()]);
    const whole = readFileSync(path, "utf8");
    failing.on = true;
    const failed = await writer.append([started("lost")]);
    expect(failed).toEqual({
      kind: "unavailable",
      reason: "noSpace",
      message: `cannot write history to ${path}: No space left on device (os error 28)`,
    });
    expect(readFileSync(path, "utf8")).toBe(whole);
    failing.on = false;
    await writer.append([started("kept")]);
    expect(readFileSync(path, "utf8")).toBe(fileText([meta(), started("kept")]));
  });

  test("without a wait leaves no torn line behind, and the next one succeeds with the same ordinal", async () => {
    const path = newPath();
    const failing = { on: true };
    const writer = writerOf(path, { openFile: stoppingNow(failing, failure("ENOSPC", 28)) });
    await drained(writer);
    const whole = readFileSync(path, "utf8");
    expect(writer.append([started("lost")])).toEqual({
      kind: "unavailable",
      reason: "noSpace",
      message: `cannot write history to ${path}: No space left on device (os error 28)`,
    });
    expect(readFileSync(path, "utf8")).toBe(whole);
    failing.on = false;
    expect(writer.append([started("kept")])).toMatchObject({ kind: "written", lines: [{ ordinal: 1 }] });
    expect(readFileSync(path, "utf8")).toBe(fileText([meta(), started("kept")]));
  });

  test("without a wait and cannot even be undone costs only its own lines", async () => {
    const path = newPath();
    const failing = { on: true };
    const truncate = () => {
      throw failure("EIO", 5);
    };
    const writer = writerOf(path, { openFile: stoppingNow(failing, failure("EIO", 5), { truncate }) });
    await drained(writer);
    expect(writer.append([started("lost")])).toMatchObject({ reason: "other" });
    failing.on = false;
    const outcome = writer.append([started("kept")]);
    const lines = await readAll(path);
    expect(lines.map(({ line }) => line.payload["turn_id"] ?? line.type)).toEqual(["session_meta", "kept"]);
    expect(outcome).toEqual({
      kind: "written",
      lines: lines.slice(1).map(({ offset, length }) => ({ ordinal: 1, offset, length })),
    });
  });

  test("and cannot even be undone costs only its own lines", async () => {
    const path = newPath();
    const failing = { on: false };
    const openFile = opening((file) => ({
      write: stopping(file, failing, failure("EIO", 5)),
      truncate: () => Promise.reject(failure("EIO", 5)),
    }));
    const writer = writerOf(path, { openFile });
    await writer.append([meta()]);
    failing.on = true;
    expect(reasonOf(await writer.append([started("lost")]))).toBe("other");
    failing.on = false;
    const outcome = await writer.append([started("kept")]);
    const lines = await readAll(path);
    expect(lines.map(({ line }) => line.payload["turn_id"] ?? line.type)).toEqual(["session_meta", "kept"]);
    expect(outcome).toEqual({
      kind: "written",
      lines: lines.slice(1).map(({ offset, length }) => ({ ordinal: 1, offset, length })),
    });
  });

  test("because something is in the way says what", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "rollout.jsonl"));
    writeFileSync(join(folder, "file"), "");
    const inTheWay = writerOf(join(folder, "rollout.jsonl"));
    const noFolder = writerOf(join(folder, "file", "rollout.jsonl"));
    expect([await inTheWay.append([meta()]), await noFolder.append([meta()])]).toEqual([
      {
        kind: "unavailable",
        reason: "blocked",
        message: `cannot write history to ${folder}/rollout.jsonl: Is a directory (os error 21)`,
      },
      {
        kind: "unavailable",
        reason: "blocked",
        message: `cannot write history to ${folder}/file/rollout.jsonl: Not a directory (os error 20)`,
      },
    ]);
    rmSync(join(folder, "rollout.jsonl"), { recursive: true });
    expect(reasonOf(await inTheWay.append([meta()]))).toBe("written");
  });

  test.each([
    ["EROFS", 30, "readOnly"],
    ["EACCES", 13, "denied"],
    ["EDQUOT", 122, "noSpace"],
  ])("with %s is told apart", async (code, errno, reason) => {
    const writer = writerOf(newPath(), { openFile: () => Promise.reject(failure(code, errno)) });
    expect(reasonOf(await writer.append([meta()]))).toBe(reason);
  });
});

describe("another program at the same file", () => {
  const intrusions: readonly [string, (path: string) => void][] = [
    ["written to", (path) => appendFileSync(path, "{}\n")],
    ["shortened", (path) => truncateSync(path, 5)],
    ["removed", (path) => rmSync(path)],
    [
      "replaced",
      (path) => {
        writeFileSync(`${path}.new`, readFileSync(path));
        renameSync(`${path}.new`, path);
      },
    ],
  ];
  test.each(intrusions)("ends the writing for good once it has %s it", async (how, intrude) => {
    const path = newPath();
    const writer = writerOf(path);
    await writer.append([meta()]);
    intrude(path);
    const left = statSync(path, { throwIfNoEntry: false })?.size;
    const outcomes = [await writer.append([started("one")]), await writer.append([started("two")])];
    const message = `another program has ${how} ${path}; nothing more is written to it from here`;
    expect(outcomes.map((outcome) => outcome.kind !== "written" && outcome)).toEqual([
      { kind: "fenced", reason: "takenOver", message },
      { kind: "fenced", reason: "takenOver", message },
    ]);
    expect(statSync(path, { throwIfNoEntry: false })?.size).toBe(left);
  });
});

describe("a file that is gone", () => {
  const restoring = (may = true) => {
    const told: string[] = [];
    return { told, restore: { may: async () => may, done: () => void told.push("restored") } };
  };

  test.each([
    ["the file", (path: string) => rmSync(path)],
    ["its folder", (path: string) => rmSync(dirname(dirname(path)), { recursive: true })],
    [
      "the home, which was moved",
      (path: string) => renameSync(dirname(dirname(path)), `${dirname(dirname(path))}-moved`),
    ],
  ])("is written anew with all that it had, and gone on with: %s", async (_name, lose) => {
    const path = newPath();
    const { told, restore } = restoring();
    const writer = writerOf(path, { restore });
    await writer.append([meta(), started("one")]);
    const long = { type: "event_msg", payload: { type: "x", text: "é".repeat(1_500_000) } } as const;
    await writer.append([long]);
    const before = readFileSync(path, "utf8");
    lose(path);
    expect(reasonOf(await writer.append([completed("one")]))).toBe("written");
    expect(told).toEqual(["restored"]);
    rmSync(path);
    expect(reasonOf(await writer.append([started("two")]))).toBe("written");
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    expect([await ordinalsOf(path), told.length]).toEqual([[0, 1, 2, 3, 4], 2]);
    expect([statSync(path).mode & 0o777, readdirSync(dirname(path))]).toEqual([0o600, [basename(path)]]);
  });

  test("is left alone where somebody else has a say in it", async () => {
    const path = newPath();
    const { told, restore } = restoring(false);
    const writer = writerOf(path, { restore });
    await writer.append([meta()]);
    rmSync(path);
    const outcomes = [await writer.append([started("one")]), await writer.append([started("two")])];
    expect([outcomes.map(reasonOf), told, existsSync(path)]).toEqual([["takenOver", "takenOver"], [], false]);
  });

  test("and was written to by others before that is left alone", async () => {
    const path = newPath();
    const writer = writerOf(path, restoring());
    await writer.append([meta()]);
    appendFileSync(path, "{}\n");
    rmSync(path);
    expect([reasonOf(await writer.append([started("one")])), existsSync(path)]).toEqual(["takenOver", false]);
  });

  test("stays gone where it cannot be written, and comes back when it can", async () => {
    const path = newPath();
    const { told, restore } = restoring();
    const writer = writerOf(path, { restore });
    await writer.append([meta()]);
    rmSync(dirname(path), { recursive: true });
    writeFileSync(dirname(path), "in the way");
    const outcome = await writer.append([started("one")]);
    expect(outcome).toMatchObject({ kind: "unavailable", reason: "blocked" });
    rmSync(dirname(path));
    expect([reasonOf(await writer.append([started("two")])), told]).toEqual(["written", ["restored"]]);
    expect(await ordinalsOf(path)).toEqual([0, 1]);
  });

  test("before its writer has opened it is not made again", async () => {
    const path = newPath();
    const writer = writerOf(path, { knownSize: 100, ...restoring() });
    expect([reasonOf(await writer.append([started("one")])), existsSync(path)]).toEqual(["takenOver", false]);
  });
});

describe("a file that is not as its reader left it", () => {
  test("is not written to, and not mended either", async () => {
    const path = newPath();
    await writerOf(path).append([meta(), started("one")]);
    const known = statSync(path).size;
    appendFileSync(path, `${fileText([completed("one")], { firstOrdinal: 2 })}{"torn`);
    const content = readFileSync(path, "utf8");
    const outcomes = [];
    for (const knownSize of [known, 0])
      outcomes.push(await writerOf(path, { knownSize }).append([started("two")]));
    expect([outcomes.map(reasonOf), readFileSync(path, "utf8")]).toEqual([
      ["takenOver", "takenOver"],
      content,
    ]);
  });

  test("is gone on with when only the remains of a line are new", async () => {
    const path = newPath();
    await writerOf(path, { knownSize: 0 }).append([meta(), started("one")]);
    const knownSize = statSync(path).size;
    appendFileSync(path, '{"torn');
    expect(reasonOf(await writerOf(path, { knownSize }).append([completed("one")]))).toBe("written");
    expect(await ordinalsOf(path)).toEqual([0, 1, 2]);
  });
});

describe("limits and the end", () => {
  test("refuse more than may wait, and take more when that is written", async () => {
    const path = newPath();
    const writer = writerOf(path, { maxBacklogBytes: 1000 });
    const big = { type: "event_msg", payload: { type: "x", text: "x".repeat(900) } } as const;
    const outcomes = await Promise.all([big, big, big].map(async (body) => writer.append([body])));
    expect(outcomes.map(reasonOf)).toEqual(["written", "backlog", "backlog"]);
    expect(reasonOf(await writer.append([big]))).toBe("written");
    expect(await ordinalsOf(path)).toEqual([0, 1]);
  });

  test("a closed writer has written what it was given, and takes no more", async () => {
    const path = newPath();
    const writer = writerOf(path);
    const pending = writer.append([meta()]);
    await writer.close();
    expect([reasonOf(await pending), reasonOf(await writer.append([started("one")]))]).toEqual([
      "written",
      "closed",
    ]);
    expect(await ordinalsOf(path)).toEqual([0]);
  });
});
