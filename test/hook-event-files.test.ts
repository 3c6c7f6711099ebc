import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hookEventFiles } from "../scripts/hook-event-files.ts";
import { hookEvents } from "../src/hooks/events/index.ts";
import type { HookShape } from "../src/hooks/schema/shape.ts";

test.each([...hookEventFiles()])("%s is what npm run generate writes", (path, text) => {
  expect(readFileSync(path, "utf8")).toBe(text);
});

test.each(hookEvents)(
  "$name adds context where its answer has a member for it",
  ({ addsContext, reading }) => {
    expect(addsContext === true).toBe(hasMember(reading.codex.output, "additionalContext"));
  },
);

function hasMember(shape: HookShape | null, name: string): boolean {
  if (shape?.kind === "nullable") return hasMember(shape.of, name);
  if (shape?.kind !== "object") return false;
  return (
    name in shape.members || Object.values(shape.members).some((member) => hasMember(member.shape, name))
  );
}
