import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { HookEventName } from "../../hooks/hook-event.ts";
import { exits, fakeHooks } from "../../hooks/hooks.fixture.ts";
import type { LineBody } from "../../store/lines/line.ts";
import type { PlainTool } from "../../tools/plain-tool.fixture.ts";
import { createTestJournal } from "../history/journal.fixture.ts";
import { callEvent, completed, messageEvents } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";
import { type HookObserver, notifyObserver } from "./observer.ts";

const echo: PlainTool = {
  name: "echo",
  spec: { type: "function", name: "echo" },
  parallel: true,
  run: async ({ input }) => ({ output: `heard ${input}`, success: true }),
};

type Told = Readonly<Record<string, unknown>>;

function watching(wants: (event: HookEventName) => boolean = () => true) {
  const told: Told[] = [];
  const observer: HookObserver = { wants, notify: (input) => void told.push(input) };
  return { observer, told, names: () => told.map(({ hook_event_name: name }) => name) };
}

/** A turn that calls a tool, is steered meanwhile, and ends with its thread. */
async function play(options: Parameters<typeof startThread>[2]) {
  const held = createDeferred<void>();
  const scripts = [
    [callEvent("c", "echo", { a: 1 }), completed],
    [held.promise, ...messageEvents("m", "Fine"), completed],
    [...messageEvents("n", "Done"), completed],
  ];
  const lines: LineBody[] = [];
  const journal = createTestJournal({
    async append(bodies) {
      lines.push(...bodies);
      return { kind: "kept", firstSeq: 0 };
    },
  });
  const { thread, begin, say, model, events, seen } = startThread(scripts, [echo], { journal, ...options });
  await begin("Go");
  await model.whenRequested(2);
  (await thread.steer(say("Rather this"))).begin();
  held.resolve();
  await thread.whenIdle();
  await thread.close();
  return { events, seen, lines };
}

const SEQUENCE = [
  "SessionStart",
  "UserPromptSubmit",
  "PreModelRequest",
  "PostModelRequest",
  "PreToolUse",
  "PostToolUse",
  // Steering aborts the response.
  "PreModelRequest",
  "UserPromptSubmit",
  "PreModelRequest",
  "PostModelRequest",
  "Stop",
  "SessionEnd",
];

describe("who watches a thread", () => {
  test("is told of each moment, also where no hook is configured", async () => {
    const { observer, told, names } = watching();
    await play({ hooks: { observer } });
    expect(names()).toEqual(SEQUENCE);
    const prompts = told.filter(({ hook_event_name: name }) => name === "UserPromptSubmit");
    expect(prompts.map(({ prompt }) => prompt)).toEqual(["Go", "Rather this"]);
  });

  test("is told what hooks are told, before they are", async () => {
    const { observer, told } = watching();
    const inputs: { readonly input: Told; readonly before: Told | undefined }[] = [];
    const run = (event: HookEventName) => ({
      event,
      run(call: { readonly input: Told }) {
        inputs.push({ input: call.input, before: told.at(-1) });
        return exits(0);
      },
    });
    const events = [...new Set(SEQUENCE)] as HookEventName[];
    await play({ hooks: { ...fakeHooks(events.map(run)), observer } });
    expect(inputs.map(({ input }) => input)).toEqual(told);
    for (const { input, before } of inputs) expect(before).toEqual(input);
  });

  test("changes nothing that anybody else sees, or that is kept", async () => {
    const unwatched = await play({});
    const { observer } = watching();
    expect(await play({ hooks: { observer } })).toEqual(unwatched);
  });

  test("does not hold anything up by failing", async () => {
    const unwatched = await play({});
    const errors: string[] = [];
    const log = { ...silentLogger, error: (what: string) => void errors.push(what) };
    const fail = (): never => {
      throw new Error("no");
    };
    expect(await play({ log, hooks: { observer: { wants: () => true, notify: fail } } })).toEqual(unwatched);
    expect(errors).toContain("notifying observers of PreToolUse failed");
    expect(await play({ log, hooks: { observer: { wants: fail, notify: fail } } })).toEqual(unwatched);
    expect(errors).toContain("checking for observers of SessionEnd failed");
  });

  test("is told of what it wants to hear of", async () => {
    const { observer, names } = watching((event) => event === "Stop" || event === "SessionEnd");
    await play({ hooks: { observer } });
    expect(names()).toEqual(["Stop", "SessionEnd"]);
  });

  test("costs nothing where nobody wants to hear: what would be told is not even made", () => {
    const made = (): never => {
      throw new Error("made");
    };
    for (const observer of [undefined, { wants: () => false, notify: made }])
      notifyObserver("Interrupt", made, "turn", {
        observer,
        log: { ...silentLogger, error: made },
        threadId: "thread",
        settings: made,
        transcriptPath: made,
      });
  });
});
