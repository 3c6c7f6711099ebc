import { expect, test } from "vitest";
import { inOwnName } from "./own-name.ts";

test("Heddle speaks of itself by its own name", () => {
  expect(inOwnName("Codex ran out of room in the model's context window.")).toBe(
    "Heddle ran out of room in the model's context window.",
  );
  expect(inOwnName("Codex is ignoring 1 unrecognized configuration setting.")).toBe(
    "Heddle is ignoring 1 unrecognized configuration setting.",
  );
});

test("and leaves alone what others say, and what is said of others", () => {
  for (const text of ["Codex has the thread", "say: Codex is ignoring it", "Codex"])
    expect(inOwnName(text)).toBe(text);
});
