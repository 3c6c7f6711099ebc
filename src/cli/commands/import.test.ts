import { expect, test } from "vitest";
import { parseSince, renderImportReport } from "./import.ts";

test("a summary says what became of the transcripts, and why something was left out", () => {
  expect(
    renderImportReport({
      dryRun: false,
      files: 4,
      imported: [{ path: "/a.jsonl", threadId: "1", title: null, cwd: "/", turns: 1, items: 3 }],
      alreadyImported: 1,
      grown: [{ path: "/b.jsonl", threadId: "2" }],
      failed: ["/c.jsonl: No space left on device"],
      skippedFiles: [{ reason: "empty", count: 1, first: "/d.jsonl" }],
      skippedLines: [
        { reason: "bookkeeping entry", count: 12, first: "/a.jsonl:1" },
        { reason: "bad line: not JSON", count: 1, first: "/a.jsonl:7" },
      ],
    }),
  ).toBe(`Imported 1 thread (1 turn, 3 items) from 4 transcripts.
Already imported: 1.
  /b.jsonl has grown since; delete thread 2 to import it anew
Transcripts left out:
  1  empty, first /d.jsonl
Lines left out:
  12  bookkeeping entry, first /a.jsonl:1
   1  bad line: not JSON, first /a.jsonl:7
Failed:
  /c.jsonl: No space left on device
`);
});

test("names of transcripts do not control the terminal", () => {
  const path = "/\u001b[2J.jsonl";
  const text = renderImportReport({
    dryRun: false,
    files: 1,
    imported: [],
    alreadyImported: 0,
    grown: [{ path, threadId: "1" }],
    failed: [`${path}: broken`],
    skippedFiles: [{ reason: "empty", count: 1, first: path }],
    skippedLines: [],
  });
  expect([text.includes("\u001b"), text.split("\\u{1b}[2J").length]).toEqual([false, 4]);
});

const NOW = Date.UTC(2026, 10, 15);

test.each([
  ["12h", NOW - 43_200_000],
  ["7d", NOW - 604_800_000],
  ["2w", NOW - 1_209_600_000],
  ["2026-11-01T10:00:00Z", Date.UTC(2026, 10, 1, 10)],
  ["2026-11-01", new Date(2026, 10, 1).getTime()],
  ["2026-13-01", null],
  ["yesterday", null],
  ["7", null],
  ["", null],
])("--since %s", (text, ms) => {
  expect(parseSince(text, NOW)).toBe(ms);
});
