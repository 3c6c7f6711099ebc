import { expectTypeOf, test } from "vitest";
import type { HookInput, HookModule, HookOutput } from "./index.ts";

test("a hook that is a module has the types of its event", () => {
  const guard: HookModule<"PreToolUse"> = ({ tool_name }) =>
    tool_name === "Bash" ? { decision: "block", reason: "no" } : null;
  expectTypeOf(guard).parameter(0).toEqualTypeOf<HookInput<"PreToolUse">>();
  expectTypeOf<HookInput<"Stop">["stop_hook_continuations"]>().toEqualTypeOf<number>();
  expectTypeOf<HookOutput<"Stop">>().toHaveProperty("decision");
});
