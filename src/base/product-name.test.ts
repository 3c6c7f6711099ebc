import { expect, test } from "vitest";
import { withOwnProductName } from "./product-name.ts";

test("messages about the program itself name Heddle", () => {
  expect(withOwnProductName("Codex ran out of room in the model's context window.")).toBe(
    "Heddle ran out of room in the model's context window.",
  );
  expect(withOwnProductName("Codex is ignoring 1 unrecognized configuration setting.")).toBe(
    "Heddle is ignoring 1 unrecognized configuration setting.",
  );
});

test("other mentions of Codex are unchanged", () => {
  for (const text of ["Codex has the thread", "say: Codex is ignoring it", "Codex"])
    expect(withOwnProductName(text)).toBe(text);
});
