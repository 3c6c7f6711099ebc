import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { PNG } from "../../tools/view-image/images.fixture.ts";
import { composeRow, parseNotBefore, type RowArguments } from "./compose-row.ts";

const NOW = Date.parse("2026-11-16T08:00:00Z");

async function compose(words: Partial<RowArguments>, stdin = "") {
  const cwd = mkdtempSync(join(tmpdir(), "heddle-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, "dot.png"), Buffer.from(PNG, "base64"));
  writeFileSync(join(cwd, "none.png"), "no image");
  return composeRow(
    { text: [], images: [], key: null, notBeforeMs: null, ...words },
    { cwd, stdin: Readable.from([Buffer.from(stdin)]), createId: () => "row" },
  );
}

const said = (text: string) => ({ type: "text", text });
const image = { type: "image", url: `data:image/png;base64,${PNG}`, detail: null };

describe("a row from the command line", () => {
  test.each([
    {
      about: "operands are joined to one text",
      words: { text: ["Run", "the tests"] },
      input: [said("Run the tests")],
    },
    {
      about: "stdin is the text",
      words: { text: ["-"] },
      stdin: "a\nb\n\n",
      input: [said("a\nb\n")],
    },
    {
      about: "among others, - is a word",
      words: { text: ["a", "-"] },
      stdin: "never read",
      input: [said("a -")],
    },
    {
      about: "images come first, and need no text",
      words: { images: ["dot.png", "dot.png"] },
      input: [image, image],
    },
    {
      about: "images and text",
      words: { text: ["Look"], images: ["dot.png"] },
      input: [image, said("Look")],
    },
  ])("$about", async ({ words, stdin, input }) => {
    expect(await compose(words, stdin)).toEqual({
      rowId: "row",
      clientUserMessageId: null,
      params: { input },
      notBeforeMs: null,
    });
  });

  test("the client's key is also in the params", async () => {
    expect(await compose({ text: ["x"], key: "mine", notBeforeMs: 5 })).toMatchObject({
      clientUserMessageId: "mine",
      params: { clientUserMessageId: "mine" },
      notBeforeMs: 5,
    });
  });

  test.each([
    [{}, "", "there is nothing to queue"],
    [{ text: ["", " "] }, "", "there is nothing to queue"],
    [{ text: ["-"] }, "\n", "there is nothing to queue"],
    [{ text: ["x".repeat(1_048_577)] }, "", "Input exceeds the maximum length of 1048576 characters."],
    [{ text: ["-"] }, "x".repeat(4 * 1024 * 1024 + 1), "the text on stdin is too long"],
    [{ text: ["x"], images: ["none.png"] }, "", "none.png: it is not there, no image, or too large"],
    [{ text: ["x"], images: ["absent.png"] }, "", "absent.png: it is not there"],
  ])("%# is refused", async (words, stdin, message) => {
    await expect(compose(words, stdin)).rejects.toThrow(message);
  });
});

/** The next occurrence of a local time of day. */
function localTime(hours: number, minutes: number): number {
  const today = new Date(new Date(NOW).setHours(hours, minutes, 0, 0)).getTime();
  return today > NOW ? today : new Date(today).setDate(new Date(today).getDate() + 1);
}

test("--not-before with the current time of day means tomorrow", () => {
  const now = new Date(2026, 10, 16, 8, 0, 0, 0).getTime();
  expect(parseNotBefore("08:00", now)).toBe(new Date(2026, 10, 17, 8).getTime());
  expect(parseNotBefore("08:01", now)).toBe(now + 60_000);
});

test.each([
  ["+30s", NOW + 30_000],
  ["+10m", NOW + 600_000],
  ["+2h", NOW + 7_200_000],
  ["+1d", NOW + 86_400_000],
  ["2026-11-17T09:00:00Z", Date.parse("2026-11-17T09:00:00Z")],
  ["2026-11-17T09:00:00+02:00", Date.parse("2026-11-17T07:00:00Z")],
  ["2026-11-17", new Date(2026, 10, 17).getTime()],
  ["23:30", localTime(23, 30)],
  ["7:05", localTime(7, 5)],
  ["24:00", null],
  ["12:60", null],
  ["12:3", null],
  ["10m", null],
  ["+10", null],
  ["+1w", null],
  ["+-1m", null],
  ["+1234567m", null],
  ["tomorrow", null],
  ["2026-13-45", null],
  ["", null],
])("--not-before %j is %s", (text, expected) => {
  expect(parseNotBefore(text, NOW)).toBe(expected);
});
