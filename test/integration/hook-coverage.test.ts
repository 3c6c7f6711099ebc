/**
 * Every cell of the coverage matrix on a whole server: which hooks run for each kind of call and prompt, and
 * what they change.
 */
import { describe, expect, test } from "vitest";
import {
  CALL_KINDS,
  type CallKind,
  type CoverageCell,
  PROMPT_KINDS,
  type PromptKind,
} from "../../src/hooks/events/coverage.ts";
import { hookEventOf, hookEvents } from "../../src/hooks/events/index.ts";
import type { HookEventName } from "../../src/hooks/hook-event.ts";
import type { ThreadStartParams } from "../../src/protocol/generated/types.ts";
import {
  type HookHarness,
  type HookHarnessOptions,
  openHookHarness,
  type RecordedHook,
} from "../support/hook-harness.ts";
import { CALL_SETUPS, PROMPT_SETUPS, type PromptSetup } from "../support/hook-setups.ts";
import { messageReply, unfinishedReply } from "../support/model-events.ts";

const DONE = messageReply("Done", { id: "end" });

async function play(kind: CallKind, also: HookHarnessOptions["also"] = {}, thread: ThreadStartParams = {}) {
  const { replies, run, ...options } = CALL_SETUPS[kind];
  const harness = await openHookHarness({
    ...options,
    thread: { ...options.thread, ...thread },
    also,
    replies: [...replies, DONE],
  });
  await (run === undefined ? harness.say("Go") : run(harness));
  return harness;
}

const nameOf = ({ hook_event_name, tool_name }: RecordedHook) => `${hook_event_name} ${String(tool_name)}`;
const isOfTool = ({ tool_name }: RecordedHook) => tool_name !== undefined;
const namesOf = (hooks: readonly RecordedHook[]) => hooks.map(({ hook_event_name }) => hook_event_name);

/** The tool events that the matrix promises for a kind of call, in order. */
function promised(kind: CallKind): string[] {
  const own = CALL_SETUPS[kind].name ?? CALL_KINDS[kind].name;
  return hookEvents.flatMap(({ name, coverage }) => {
    if (coverage.of !== "calls") return [];
    const cell = coverage.cells[kind];
    return "can" in cell ? [`${name} ${cell.as ?? own}`] : [];
  });
}

const CALLS = Object.keys(CALL_KINDS) as CallKind[];

const kindsWhere = (event: HookEventName, ability: string) =>
  CALLS.filter((kind) => {
    const { coverage } = hookEventOf(event);
    const cell = coverage.of === "calls" ? coverage.cells[kind] : null;
    return cell !== null && "can" in cell && (cell.can as readonly string[]).includes(ability);
  });

const TURN: readonly HookEventName[] = ["SessionStart", "UserPromptSubmit", "Stop"];
const printsJson = (output: object) => `echo '${JSON.stringify(output)}'`;
const specific = (hookEventName: string, more: object) =>
  printsJson({ hookSpecificOutput: { hookEventName, ...more } });

/** Only for the call of the row, if there is an earlier one. */
const aboutLast = (command: string) => `grep -q '"call_0"' || { ${command}; }`;

describe("what fires for a call", () => {
  test.each(CALLS)("%s", async (kind) => {
    const inputs = (await play(kind)).hookInputs();
    const { before = [], isAsked = true } = CALL_SETUPS[kind];
    expect(inputs.filter(isOfTool).map(nameOf)).toEqual([...before, ...promised(kind)]);
    const others = namesOf(inputs.filter((hook) => !isOfTool(hook)));
    const isRequest = (name: string) => /^(?:Pre|Post)ModelRequest$/u.test(name);
    expect(others.filter((name) => !isRequest(name))).toEqual(isAsked ? TURN : []);
    expect(others.some(isRequest)).toBe(isAsked);
  });
});

describe("what a hook before a call can do", () => {
  test.each(kindsWhere("PreToolUse", "block"))("block: %s", async (kind) => {
    const harness = await play(kind, { PreToolUse: aboutLast("echo not this >&2; exit 2") });
    expect(harness.modelRequests()).toContain("blocked by PreToolUse hook: not this");
    const after = harness.hookInputs().filter(isOfTool).map(nameOf);
    expect(after).toEqual([...(CALL_SETUPS[kind].before ?? []), promised(kind)[0]]);
  });

  test.each(kindsWhere("PreToolUse", "change the input"))("change the input: %s", async (kind) => {
    const { rewritten } = CALL_SETUPS[kind];
    if (rewritten === undefined) {
      // The typed text shows in the output of the command.
      const change = `sed 's/.*"session_id":\\([0-9]*\\).*/{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"session_id":\\1,"chars":"that\\\\n","yield_time_ms":5000}}}/'`;
      const harness = await play(kind, {
        PreToolUse: `input=$(cat); case $input in *write_stdin*) echo "$input" | ${change};; esac`,
      });
      expect(harness.modelRequests()).toContain("got that");
      return;
    }
    const harness = await play(kind, {
      PreToolUse: specific("PreToolUse", { permissionDecision: "allow", updatedInput: rewritten }),
    });
    const after = harness.hookInputs().find(({ hook_event_name }) => hook_event_name === "PostToolUse");
    expect(after?.["tool_input"]).toEqual(rewritten);
  });

  test.each(kindsWhere("PreToolUse", "allow"))("allow: %s", async (kind) => {
    const harness = await play(kind, { PreToolUse: specific("PreToolUse", { permissionDecision: "allow" }) });
    expect(harness.asked).toEqual([]);
    expect(namesOf(harness.hookInputs().filter(isOfTool))).toEqual(["PreToolUse", "PostToolUse"]);
  });

  test.each(kindsWhere("PreToolUse", "have it asked about"))("have it asked about: %s", async (kind) => {
    const ask = specific("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "look" });
    // Without the hook, no approval would be requested for commands and patches.
    const harness = await play(kind, { PreToolUse: ask }, { approvalPolicy: "on-request" });
    expect(harness.asked).toHaveLength(1);
  });

  test.each(kindsWhere("PreToolUse", "add context"))("add context: %s", async (kind) => {
    const harness = await play(kind, {
      PreToolUse: aboutLast(specific("PreToolUse", { additionalContext: "by the way" })),
    });
    expect(harness.modelRequests()).toContain("by the way");
  });
});

describe("what a hook that is asked for permission can do", () => {
  const deciding = (behavior: string) => specific("PermissionRequest", { decision: { behavior } });

  test.each(kindsWhere("PermissionRequest", "deny"))("deny: %s", async (kind) => {
    const harness = await play(kind, { PermissionRequest: deciding("deny") });
    expect(harness.asked).toEqual([]);
    const after = harness.hookInputs().find(({ hook_event_name }) => hook_event_name === "PostToolUse");
    // A request for permissions is still answered, with none granted.
    if (kind === "permissions")
      expect(after?.["tool_response"]).toContain('"network":null,"file_system":null');
    else expect(after).toBeUndefined();
  });

  test.each(kindsWhere("PermissionRequest", "allow"))("allow: %s", async (kind) => {
    const harness = await play(kind, { PermissionRequest: deciding("allow") });
    expect(harness.asked).toEqual([]);
    expect(namesOf(harness.hookInputs().filter(isOfTool))).toContain("PostToolUse");
  });
});

describe("what a hook after a call can do", () => {
  test.each(kindsWhere("PostToolUse", "replace the answer"))("replace the answer: %s", async (kind) => {
    const harness = await play(kind, { PostToolUse: "echo in its place >&2; exit 2" });
    expect(harness.modelRequests()).toContain('"output":"in its place"');
  });

  test.each(kindsWhere("PostToolUse", "add context"))("add context: %s", async (kind) => {
    const harness = await play(kind, {
      PostToolUse: specific("PostToolUse", { additionalContext: "by the way" }),
    });
    expect(harness.modelRequests()).toContain("by the way");
  });
});

/** The hook inputs since the prompt was submitted. */
async function inputsSince(
  harness: HookHarness,
  { after, before, run }: PromptSetup,
): Promise<RecordedHook[]> {
  await before?.(harness);
  const earlier = harness.hookInputs().length;
  await run(harness);
  const inputs = harness.hookInputs().slice(earlier);
  return after === undefined ? inputs : inputs.slice(namesOf(inputs).indexOf(after) + 1);
}

/** The cells of the prompt events for one kind of prompt. */
function cellsOf(kind: PromptKind): Map<HookEventName, CoverageCell> {
  return new Map(
    hookEvents.flatMap(({ name, coverage }) =>
      coverage.of === "prompts" ? [[name, coverage.cells[kind]] as const] : [],
    ),
  );
}

const fires = (cell: CoverageCell | undefined) => cell !== undefined && "can" in cell;

const PROMPTS = (Object.keys(PROMPT_KINDS) as PromptKind[]).map(
  (kind) => [kind, PROMPT_SETUPS[kind], cellsOf(kind)] as const,
);

describe("what fires for a prompt", () => {
  test.each(PROMPTS)("%s", async (_kind, scene, cells) => {
    if (scene === null) {
      expect([...cells.values()].some(fires)).toBe(false);
      return;
    }
    const inputs = await inputsSince(await openHookHarness(scene), scene);
    const promises = [...cells].flatMap(([event, cell]) =>
      event !== "Interrupt" && fires(cell) ? [event] : [],
    );
    expect(new Set(namesOf(inputs))).toEqual(new Set(promises));
    const prompts = inputs.flatMap(({ prompt }) => (prompt === undefined ? [] : [prompt]));
    if (scene.prompt === undefined) expect(prompts).toEqual([]);
    else expect(prompts).toContain(scene.prompt);
  });

  test.each(PROMPTS)("%s, when it is interrupted", async (_kind, scene, cells) => {
    if (scene === null) return;
    const replies = [...scene.replies.slice(0, -1), unfinishedReply("half", "last")];
    const harness = await openHookHarness({ ...scene, replies });
    const inputs = inputsSince(harness, scene);
    await harness.model.arrived(replies.length);
    await harness.client.turn.interrupt({ threadId: harness.threadId, turnId: "" });
    expect(namesOf(await inputs).includes("Interrupt")).toBe(fires(cells.get("Interrupt")));
  });
});

describe("what a hook of a prompt can do", () => {
  const blockable = PROMPTS.filter(([, scene]) => scene?.prompt !== undefined);

  test.each(blockable)("block: %s", async (_kind, scene) => {
    if (scene === null) return;
    const block = `grep -q '"prompt":"${scene.prompt}"' && { echo no >&2; exit 2; } || true`;
    const harness = await openHookHarness({ ...scene, also: { UserPromptSubmit: block } });
    await scene.before?.(harness);
    // Without further input nothing follows, so the last reply is not requested.
    await scene.run(harness);
    expect(harness.modelRequests()).not.toContain(`"text":"${scene.prompt}"`);
  });

  test.each(blockable)("add context: %s", async (_kind, scene) => {
    if (scene === null) return;
    const add = `grep -q '"prompt":"${scene.prompt}"' && echo by the way || true`;
    const harness = await openHookHarness({ ...scene, also: { UserPromptSubmit: add } });
    await scene.before?.(harness);
    await scene.run(harness);
    expect(harness.modelRequests()).toContain('"text":"by the way"');
  });

  test("keep a compaction from being done", async () => {
    const scene = PROMPT_SETUPS.compaction as PromptSetup;
    const harness = await openHookHarness({
      ...scene,
      also: { PreCompact: printsJson({ continue: false }) },
    });
    expect(namesOf(await inputsSince(harness, scene))).toEqual(["PreCompact"]);
  });
});

test("the end of a session is told, and of agents there is nothing to tell", async () => {
  const harness = await play("command");
  await harness.client.thread.archive({ threadId: harness.threadId });
  const names = namesOf(harness.hookInputs());
  const others = hookEvents.flatMap(({ name, coverage }) =>
    coverage.of === "neither" ? [{ name, cell: coverage.cell }] : [],
  );
  expect(others.filter(({ name }) => names.includes(name))).toEqual(others.filter(({ cell }) => fires(cell)));
});
