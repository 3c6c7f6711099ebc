/** Compares the claims of Heddle's lifecycle adapter with the actual abilities and input of hooks. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  ADAPTERS,
  type EventName,
  findManifest,
  grantsOnAllow,
  type LifecycleResult,
  RESULT_PARTS,
  type ResultPart,
  read,
  render,
  supports,
} from "../../lifecycle/index.ts";
import { HOOK_EVENTS, type HookEventName } from "../hook-event.ts";
import { checkShape } from "../schema/check-shape.ts";
import { decide, hookEventOf } from "./index.ts";
import { CODEX, exited } from "./outcome-summary.fixture.ts";
import { readOutcome } from "./read-outcome.ts";

/** One result for each part, by its name. */
const SAMPLES = JSON.parse(readFileSync("fixtures/lifecycle/results.json", "utf8")) as Readonly<
  Record<ResultPart, LifecycleResult>
>;

const STOPPED = { stop: { reason: "Enough." } };
const TOLD = { contexts: [{ text: expect.stringContaining("Tests: npm test.") }] };

/** The effect of each result part; messages to the user have the same effect everywhere. */
const EFFECTS: Partial<Record<HookEventName, Partial<Record<ResultPart, object>>>> = {
  SessionStart: { stop: STOPPED, context: TOLD },
  UserPromptSubmit: { deny: { stop: { reason: "Ask first." } }, stop: STOPPED, context: TOLD },
  PreToolUse: {
    allow: { verdict: { kind: "proceed", permission: "allow", updatedInput: undefined } },
    deny: { verdict: { kind: "block", reason: "Ask first." } },
    stop: { verdict: { kind: "block", reason: "Enough." } },
    ask: { verdict: { kind: "proceed", permission: "ask", reason: "Is it meant?" } },
    updated_input: { verdict: { kind: "proceed", permission: "ask", updatedInput: { command: "ls" } } },
    context: TOLD,
  },
  PermissionRequest: {
    allow: { verdict: { behavior: "allow" } },
    deny: { verdict: { behavior: "deny", message: "Ask first." } },
  },
  PostToolUse: {
    deny: { replacement: "Ask first." },
    updated_output: { replacement: null, updatedOutput: "hidden" },
    context: TOLD,
  },
  PreCompact: { stop: { stop: "Enough." } },
  PostCompact: { stop: { stop: "Enough." } },
  Stop: {
    stop: { kind: "stop", reason: "Enough." },
    continue_with: { kind: "continue", prompts: [{ text: "Run the tests." }] },
  },
};

function said(event: EventName, result: LifecycleResult) {
  const rendered = render({ adapter: "heddle", event, result });
  if (!rendered.ok) throw new Error(JSON.stringify(rendered.error));
  const hook = rendered.hookEventName as HookEventName;
  const outcome = readOutcome(hook, exited(0, rendered.stdout), CODEX);
  const runs = [
    {
      runId: "run",
      hook: { key: "hook", displayOrder: 0, dialect: "codex", additionalContextLimit: null },
      outcome,
    },
  ] as const;
  return { rendered, hook, outcome, decision: decide(hook, runs), nothing: decide(hook, []) };
}

const claims = Object.entries(findManifest("heddle")?.lifecycle_events ?? {}).flatMap(([event, claim]) =>
  claim.hook === undefined ? [] : [{ event: event as EventName, claim }],
);

describe.each(claims)("$event", ({ event, claim }) => {
  const claimed = RESULT_PARTS.filter((part) => supports(claim.results?.[part] ?? "unavailable", "partial"));

  test.each(claimed)("accepts %s", (part) => {
    const { rendered, hook, outcome, decision, nothing } = said(event, SAMPLES[part]);
    expect(outcome.status).not.toBe("failed");
    expect(rendered.notExpressed).toEqual([]);
    if (part === "user_message")
      return expect(outcome.entries).toContainEqual({ kind: "warning", text: "Seen." });
    // An allowance is the default.
    if (part === "allow" && !grantsOnAllow(event)) return expect(decision).toEqual(nothing);
    expect(decision).not.toEqual(nothing);
    expect(decision).toMatchObject(EFFECTS[hook]?.[part] ?? { [`a row for ${part} of ${hook}`]: "missing" });
  });

  test("claims everything that has an effect", () => {
    const effects = Object.keys(EFFECTS[claim.hook as HookEventName] ?? {});
    expect(effects.filter((part) => !claimed.includes(part as ResultPart))).toEqual([]);
  });
});

test.each([
  [{ decision: { kind: "allow" } }, { permission: "allow", updatedInput: { command: "ls" } }],
  [{ decision: { kind: "ask" } }, { permission: "ask", updatedInput: { command: "ls" } }],
  [{ decision: { kind: "none" } }, { permission: "ask", updatedInput: { command: "ls" } }],
] satisfies [LifecycleResult, object][])(
  "an updated input with %j grants nothing beyond it",
  (result, verdict) => {
    expect(said("tool.starting", { ...result, ...SAMPLES.updated_input }).decision).toMatchObject({
      verdict,
    });
  },
);

test.each([
  ["tool.starting", { ...SAMPLES.deny, ...SAMPLES.updated_input }, "updated_input"],
  ["tool.starting", { updated_input: null }, "updated_input"],
  ["tool.completed", { ...SAMPLES.deny, ...SAMPLES.updated_output }, "updated_output"],
  ["tool.completed", { updated_output: null }, "updated_output"],
] as const)("at %s %j is rendered except for %s", (event, result, part) => {
  const { rendered, outcome } = said(event, result);
  expect(rendered.notExpressed).toEqual([expect.objectContaining({ what: part })]);
  expect(outcome.status).not.toBe("failed");
});

test("the adapter has each moment at which hooks run, and its inputs are those of Heddle", () => {
  const unheard: readonly HookEventName[] = ["SubagentStart", "SubagentStop"];
  expect(ADAPTERS.heddle.hooks.map(({ hook }) => hook).sort()).toEqual(
    HOOK_EVENTS.filter((event) => !unheard.includes(event)).toSorted(),
  );
  const inputs = JSON.parse(readFileSync("fixtures/lifecycle/native/heddle.json", "utf8")) as readonly {
    readonly hook: HookEventName;
    readonly input: object;
  }[];
  for (const { hook, input } of inputs) {
    const shape = hookEventOf(hook).input;
    expect(checkShape(shape, input, { unknownMembers: "refused" })).toEqual({ isValid: true, value: input });
    // Every input member has a neutral name.
    const event = read("heddle", input);
    const unnamed = ["session_id", "turn_id", "hook_event_name"];
    const told = event.ok ? Object.keys(event.event.details).length : 0;
    expect([hook, told]).toEqual([hook, Object.keys(input).filter((name) => !unnamed.includes(name)).length]);
  }
});
