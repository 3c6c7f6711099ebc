import { describe, expect, test } from "vitest";
import { previewHookText, spillHookText } from "./spill.ts";

async function spill(text: string, limit: number, path: string | null = "/tmp/out.txt") {
  const written: string[] = [];
  const told = await spillHookText(text, limit, async (whole) => {
    written.push(whole);
    return path;
  });
  return { told, written };
}

describe("text of a hook", () => {
  test.each([
    ["of the limit", "x".repeat(10_000), 2500],
    ["without a limit", "x".repeat(100_000), 0],
    ["that is empty", "", 1],
  ])("%s is unchanged", async (_, text, limit) => {
    expect(await spill(text, limit)).toStrictEqual({ told: text, written: [] });
  });

  test("above the limit is written to a file and previewed", async () => {
    const text = `${"a".repeat(5000)}\n${"b".repeat(5000)}`;
    const { told, written } = await spill(text, 2500);
    expect(written).toStrictEqual([text]);
    expect(told).toMatch(
      /^Warning: truncated output \(original token count: 2501\)\nTotal output lines: 2\n\na+…\d+ tokens truncated…b+\n\nFull hook output saved to: \/tmp\/out\.txt$/,
    );
    expect(Buffer.byteLength(told)).toBeLessThan(10_150);
  });

  test("is counted in bytes", async () => {
    expect((await spill("é".repeat(5000), 2500)).written).toStrictEqual([]);
    expect((await spill("é".repeat(5001), 2500)).written).toHaveLength(1);
  });

  test("that cannot be written is previewed without a path", async () => {
    const { told } = await spill("x".repeat(1000), 10, null);
    expect(told).toBe(
      `Warning: truncated output (original token count: 250)\nTotal output lines: 1\n\n${"x".repeat(20)}…240 tokens truncated…${"x".repeat(20)}`,
    );
  });

  test("names its file also where the limit is shorter than the name", () => {
    expect(previewHookText("x".repeat(100), 1, "/a/long/path")).toMatch(
      /…25 tokens truncated…\n\nFull hook output saved to: \/a\/long\/path$/,
    );
  });
});
