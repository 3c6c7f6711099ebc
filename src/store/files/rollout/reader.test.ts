import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { completed, started } from "../../lines/lines.fixture.ts";
import { backwardLines, forwardLines } from "./raw-lines.ts";
import { type LineFault, type LocatedLine, openRollout } from "./reader.ts";
import { fileText, meta, openReader, readAll, temporaryFolder } from "./rollout.fixture.ts";
import { plainFiles } from "./rollout-files.ts";

const BODIES = [meta(), started("one"), completed("one", "é😀"), started("two")];

function fileWith(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), "rollout.jsonl");
  writeFileSync(path, content);
  return path;
}

function typesOf(lines: readonly LocatedLine[]): string[] {
  return lines.map(({ line }) => (line.type === "event_msg" ? String(line.payload["type"]) : line.type));
}

const ALL = ["session_meta", "task_started", "task_complete", "task_started"];

/** A file in memory that returns few bytes per read. */
function memoryFile(bytes: Buffer, step: number) {
  return {
    read: (buffer: Uint8Array, offset: number, length: number, position: number) => {
      const piece = bytes.subarray(position, Math.min(position + Math.min(length, step), bytes.length));
      buffer.set(piece, offset);
      return Promise.resolve({ bytesRead: piece.length });
    },
  };
}

describe("lines of a file", () => {
  test("are the same forwards and backwards, in any pages and pieces", async () => {
    const content = fc.array(fc.constantFrom("a", "é", "\n", "\n\n", "\r\n", "xyz"), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        async (parts, step, limit) => {
          const bytes = Buffer.from(parts.join(""));
          const file = memoryFile(bytes, step);
          const forwards = [];
          for await (const batch of forwardLines(file, { from: 0, to: bytes.length }))
            forwards.push(...batch);
          const backwards = [];
          for (let before = bytes.length; before > 0; ) {
            const page = await backwardLines(file, { before, limit });
            backwards.push(...page.map((line) => ({ ...line, text: (line.text ?? "").replace(/\n$/, "") })));
            before = page.at(-1)?.offset ?? 0;
          }
          expect(backwards.toReversed()).toEqual(forwards);
          expect(forwards.reduce((sum, { length }) => sum + length, 0)).toBe(bytes.length);
        },
      ),
    );
  });

  test("are the same forwards and backwards if they are longer than what is read at once", async () => {
    const lengths = [10, 16_383, 16_384, 1, 16_385, 65_536, 3, 262_144, 500_000, 0, 80_000, 7];
    const texts = lengths.map((length, at) => `${at}${"x".repeat(length)}`);
    const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
    const file = memoryFile(bytes, bytes.length);
    const forwards = [];
    for await (const batch of forwardLines(file, { from: 0, to: bytes.length })) forwards.push(...batch);
    const backwards = await backwardLines(file, { before: bytes.length, limit: 100 });
    expect(forwards.map(({ text }) => text)).toEqual(texts);
    expect(backwards.toReversed().map(({ text }) => text)).toEqual(texts.map((text) => `${text}\n`));
    expect(backwards.toReversed().map(({ offset }) => offset)).toEqual(forwards.map(({ offset }) => offset));
  });

  test("come with the places they were read from", async () => {
    const path = fileWith(fileText(BODIES));
    const lines = await readAll(path);
    const reader = await openReader(path);
    expect(lines.map(({ line }) => line.ordinal)).toEqual([0, 1, 2, 3]);
    for (const [at, { offset }] of lines.entries()) {
      const rest = [];
      for await (const line of reader.lines({ from: offset })) rest.push(line);
      expect(rest).toEqual(lines.slice(at));
    }
  });

  test("are paged from the end without the pages' borders being lost", async () => {
    const reader = await openReader(fileWith(fileText(BODIES)));
    const first = await reader.page({ limit: 3 });
    const second = await reader.page({ before: first.before ?? 0, limit: 3 });
    expect([typesOf(first.lines), typesOf(second.lines), second.before]).toEqual([
      ["task_started", "task_complete", "task_started"],
      ["session_meta"],
      null,
    ]);
  });

  test.each([
    ["a byte order mark", (text: string) => `\uFEFF${text}`],
    ["Windows line ends", (text: string) => text.replaceAll("\n", "\r\n")],
    ["empty lines", (text: string) => `\n${text.replaceAll("\n", "\n\n")}`],
    ["no end of the last line", (text: string) => text.trimEnd()],
  ])("are read from a file with %s, with nothing to report", async (_, change) => {
    const faults: LineFault[] = [];
    const lines = await readAll(fileWith(change(fileText(BODIES))), {
      onFault: (fault) => faults.push(fault),
    });
    expect([typesOf(lines), faults]).toEqual([ALL, []]);
  });

  test("that are broken are reported once, by number, and the others are read", async () => {
    const [first = "", ...rest] = fileText(BODIES).split("\n");
    const path = fileWith([first, "not json", ...rest].join("\n"));
    const faults: LineFault[] = [];
    const reader = await openReader(path, { onFault: (fault) => faults.push(fault) });
    for (let time = 0; time < 2; time += 1) {
      const lines = [];
      for await (const line of reader.lines()) lines.push(line);
      expect(typesOf(lines)).toEqual(ALL);
    }
    const offset = Buffer.byteLength(first) + 1;
    expect(faults).toEqual([{ path, lineNumber: 2, offset, reason: "not JSON" }]);
  });

  test("that are far too long are skipped, forwards and backwards", async () => {
    const path = fileWith(fileText(BODIES.slice(0, 2)));
    const file = openSync(path, "a");
    const piece = "x".repeat(1024 * 1024);
    writeSync(file, '{"type":"event_msg","payload":{"type":"');
    for (let at = 0; at < 100; at += 1) writeSync(file, piece);
    writeSync(file, `"}}\n${fileText(BODIES.slice(2))}`);
    closeSync(file);
    const faults: LineFault[] = [];
    const options = { maxLineBytes: 1024 * 1024, onFault: (fault: LineFault) => faults.push(fault) };
    const lines = await readAll(path, options);
    expect(typesOf(lines)).toEqual(ALL);
    expect(faults.map(({ lineNumber, reason }) => [lineNumber, reason])).toEqual([
      [3, "longer than 1048576 bytes"],
    ]);
    const page = await (await openReader(path, options)).page({ limit: 10 });
    expect(typesOf(page.lines)).toEqual(ALL.toReversed());
  });

  test("of an empty file are none", async () => {
    expect(await readAll(fileWith(""))).toEqual([]);
  });

  test("before a cut are all read, wherever the cut is", async () => {
    const bytes = Buffer.from(fileText(BODIES));
    const ends = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([at]) => at);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), async (cut) => {
        const faults: string[] = [];
        const path = fileWith(bytes.subarray(0, cut));
        const lines = await readAll(path, { onFault: ({ reason }) => faults.push(reason) });
        const whole = ends.filter((end) => end <= cut).length;
        const remains = cut - (ends[whole - 1] ?? -1) - 1;
        const isCut = !ends.includes(cut) && remains > 0;
        expect([lines.length, faults]).toEqual([whole, isCut ? ["cut off"] : []]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a file that cannot be read says so in words", () => {
  test("when it is missing, is a folder, or is compressed", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "folder.jsonl"));
    const outcomes = [];
    for (const name of ["none.jsonl", "folder.jsonl", "x.jsonl.zst"])
      outcomes.push(await openRollout(plainFiles, join(folder, name)));
    expect(outcomes).toEqual([
      {
        kind: "unreadable",
        reason: "missing",
        message: `cannot read ${folder}/none.jsonl: No such file or directory (os error 2)`,
      },
      { kind: "unreadable", reason: "notAFile", message: `${folder}/folder.jsonl is not a file` },
      {
        kind: "unreadable",
        reason: "compressed",
        message: `cannot read ${folder}/x.jsonl.zst: it is packed; unpack it first, with \`zstd -d\``,
      },
    ]);
  });
});
