import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hookEventOf } from "../src/hooks/events/index.ts";
import { CLAUDE, CODEX, exited } from "../src/hooks/events/outcome-summary.fixture.ts";
import { readOutcome } from "../src/hooks/events/read-outcome.ts";
import { HOOK_EVENTS, type HookEventName } from "../src/hooks/hook-event.ts";
import { checkShape } from "../src/hooks/schema/check-shape.ts";
import { type LifecycleResult, render } from "../src/lifecycle/index.ts";

/** The engine of hooks is as strict as Codex, and takes answers as Claude Code does: what is rendered must work there. */
const DIALECTS = { codex: CODEX, claude: CLAUDE };

/** Claude Code takes another input together with a permission; the engine does not, and asks a person instead. */
const NOT_IN_THE_ENGINE: ReadonlySet<string> = new Set(["claude PermissionRequest allow with updated_input"]);

/** Where the turn cannot be ended, what was to be stopped does not happen. */
const ONLY_DENIED: ReadonlySet<string> = new Set(["codex PreToolUse"]);

interface RenderCase {
  readonly hook: string;
  readonly event: Parameters<typeof render>[0]["event"];
  readonly says: Readonly<Record<string, { readonly body: object }>>;
}

const results: Readonly<Record<string, LifecycleResult>> = JSON.parse(
  readFileSync("fixtures/lifecycle/results.json", "utf8"),
);

function isHook(name: string): name is HookEventName {
  return (HOOK_EVENTS as readonly string[]).includes(name);
}

/** The texts of a result that the model or the person must find in what comes of it. */
function textsOf({ decision, context = [], updated_output, user_message }: LifecycleResult): string[] {
  const reason =
    decision === undefined || decision.kind === "none"
      ? undefined
      : "prompt" in decision
        ? decision.prompt
        : decision.reason;
  return [reason, ...context, updated_output, user_message].filter((text) => typeof text === "string");
}

describe.each(["codex", "claude"] as const)("what is rendered for %s", (adapter) => {
  const cases: readonly RenderCase[] = JSON.parse(
    readFileSync(`fixtures/lifecycle/render/${adapter}.json`, "utf8"),
  );

  test.each(
    cases.filter(({ hook }) => isHook(hook)).map((each) => [each.hook, each.event, each.says] as const),
  )("is taken by %s at %s", (hook, event, says) => {
    if (!isHook(hook)) return;
    for (const [name, { body }] of Object.entries(says)) {
      if (NOT_IN_THE_ENGINE.has(`${adapter} ${hook} ${name}`)) continue;
      const outcome = readOutcome(hook, exited(0, body), DIALECTS[adapter]);
      expect([name, outcome.status, outcome.entries]).not.toEqual([name, "failed", expect.anything()]);
      const result = results[name] ?? {};
      const rendered = render({ adapter, event, hookEventName: hook, result });
      if (!rendered.ok || rendered.notExpressed.length > 0) continue;
      const heard = JSON.stringify(outcome);
      for (const text of textsOf(result))
        expect([name, heard]).toEqual([name, expect.stringContaining(text)]);
      if (result.updated_input !== undefined)
        expect(outcome.effect.updatedInput).toEqual(result.updated_input);
      if (result.decision?.kind === "stop")
        expect([name, outcome.status === "stopped" || outcome.effect.stop !== null]).toEqual([
          name,
          !ONLY_DENIED.has(`${adapter} ${hook}`),
        ]);
      if (ONLY_DENIED.has(`${adapter} ${hook}`) && result.decision?.kind === "stop")
        expect(outcome.effect.block).toBe(result.decision.reason);
    }
  });
});

test("what the compatible form prints is taken by Codex, too", () => {
  const golden = JSON.parse(readFileSync("fixtures/lifecycle/golden.json", "utf8"));
  let taken = 0;
  for (const event of golden.events)
    for (const decision of [
      undefined,
      { kind: "deny", reason: "r" },
      { kind: "continue_with", prompt: "p" },
    ] as const)
      for (const payloads of Object.values<unknown>(golden.payload_sets)) {
        const rendered = render({
          adapter: "codex",
          event,
          form: "compatible",
          payloads: payloads as NonNullable<Parameters<typeof render>[0]["payloads"]>,
          result: decision === undefined ? {} : { decision },
        });
        if (!rendered.ok || !isHook(rendered.hookEventName)) continue;
        expect(readOutcome(rendered.hookEventName, exited(0, rendered.stdout), CODEX).status).not.toBe(
          "failed",
        );
        taken += 1;
      }
  expect(taken).toBe(7 * 3 * 14);
});

test("what is read as an input of Codex is what hooks are told here", () => {
  const inputs: readonly { hook: string; input: object }[] = JSON.parse(
    readFileSync("fixtures/lifecycle/native/codex.json", "utf8"),
  );
  expect(new Set(inputs.map(({ hook }) => hook))).toEqual(new Set(HOOK_EVENTS));
  for (const { hook, input } of inputs) {
    if (!isHook(hook)) continue;
    // Members that Heddle tells and Codex does not may be missing.
    const more = hook === "Stop" || hook === "SubagentStop" ? { stop_hook_continuations: 0 } : {};
    const checked = checkShape(hookEventOf(hook).input, { ...more, ...input }, { unknownMembers: "refused" });
    expect([hook, checked.isValid ? [] : checked.faults]).toEqual([hook, []]);
  }
});
