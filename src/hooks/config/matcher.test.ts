import { expect, test } from "vitest";
import type { HookEventName } from "../hook-event.ts";
import { parseMatcher } from "./matcher.ts";

test.each<[event: HookEventName, matcher: string | null, subjects: string[], expected: boolean]>([
  ["PreToolUse", null, ["Bash"], true],
  ["PreToolUse", "", ["Bash"], true],
  ["PreToolUse", "*", ["Bash"], true],
  ["PreToolUse", "Bash", ["Bash"], true],
  ["PreToolUse", "Bash", ["BashOutput"], false],
  ["PreToolUse", "Edit|Write", ["apply_patch", "Write", "Edit"], true],
  ["PreToolUse", "mcp__memory", ["mcp__memory__read"], false],
  ["PreToolUse", "mcp__memory.*", ["mcp__memory__read"], true],
  ["PreToolUse", "|", ["Bash"], false],
  ["PreToolUse", "^Bash$", [], false],
  ["SessionStart", "startup|resume", ["resume"], true],
  ["Stop", "never", [], true],
  ["Stop", "[", [], true],
  ["PreModelRequest", "(", [], true],
])("%s with %j is about %j: %j", (event, matcher, subjects, expected) => {
  const parsed = parseMatcher(event, matcher);
  expect(parsed.ok && parsed.matches(subjects)).toBe(expected);
});

test("a matcher of an event without a subject is ignored", () => {
  expect(parseMatcher("UserPromptSubmit", "x")).toMatchObject({ ok: true, matcher: null });
  expect(parseMatcher("PreToolUse", "x.")).toMatchObject({ ok: true, matcher: "x." });
});

test("an invalid pattern is rejected with a reason", () => {
  expect(parseMatcher("PreToolUse", "[")).toMatchObject({
    ok: false,
    reason: expect.stringContaining("unclosed character class") as string,
  });
});
