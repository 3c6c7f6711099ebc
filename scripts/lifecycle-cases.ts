// The cases that an implementation of the lifecycle layer is held against: what goes in, and what must come out, for
// every harness, event and direction. Derived from the tables of the adapters and the recorded inputs of their hooks.
import { readFileSync } from "node:fs";
import {
  ADAPTER_IDS,
  ADAPTERS,
  type AdapterId,
  EVENT_NAMES,
  type EventName,
  hookFor,
  type LifecycleResult,
  read,
  render,
} from "../src/lifecycle/index.ts";

interface NativeInput {
  readonly hook: string;
  readonly input: unknown;
}

/** What a harness may be asked to be told: each part alone, and two that go together. */
const RESULTS: Readonly<Record<string, LifecycleResult>> = {
  nothing: {},
  allow: { decision: { kind: "allow" } },
  deny: { decision: { kind: "deny", reason: 'Not in this "project".' } },
  ask: { decision: { kind: "ask", reason: "Look at it first." } },
  stop: { decision: { kind: "stop", reason: "Enough for today." } },
  continue: { decision: { kind: "continue_with", prompt: "Run the tests,\nthen go on." } },
  context: { context: ["The build is red."] },
  input: { updated_input: { command: "ls -l" } },
  output: { updated_output: "nothing to see" },
  message: { user_message: "A policy has changed this." },
  "deny-with-context": { decision: { kind: "deny", reason: "No." }, context: ["Ask for another way."] },
};

export function lifecycleCases(): readonly (readonly [path: string, text: string])[] {
  return ADAPTER_IDS.map((id) => {
    const cases = [...readCases(id), ...renderCases(id), ...badCases(id)];
    return [`fixtures/lifecycle/cases/${id}.json`, `${JSON.stringify(cases, null, 1)}\n`] as const;
  });
}

function readCases(id: AdapterId) {
  const recorded = JSON.parse(readFileSync(`fixtures/lifecycle/native/${id}.json`, "utf8")) as NativeInput[];
  return recorded.map(({ hook, input }, index) => {
    const outcome = read(id, input, { hookEventName: hook });
    if (!outcome.ok) throw new Error(`${id} ${hook}: ${outcome.error.detail}`);
    return {
      id: `${id}/read/${index + 1}-${hook}`,
      args: ["read", "--adapter", id, "--hook", hook],
      stdin: input,
      expect: { exit: 0, json: outcome.event },
    };
  });
}

function renderCases(id: AdapterId) {
  return EVENT_NAMES.filter((event) => hookFor(ADAPTERS[id], event) !== undefined).flatMap((event) =>
    Object.entries(RESULTS).map(([name, result]) => renderCase(id, event, name, result)),
  );
}

function renderCase(id: AdapterId, event: EventName, name: string, result: LifecycleResult) {
  const rendered = render({ adapter: id, event, result, form: "readable" });
  if (!rendered.ok) throw new Error(`${id} ${event} ${name}: ${rendered.error.kind}`);
  const left = rendered.notExpressed.map(({ what }) => what);
  return {
    id: `${id}/render/${event}/${name}`,
    args: ["render", "--adapter", id, "--event", event, "--form", "readable"],
    stdin: { result },
    expect: {
      exit: rendered.exitCode,
      stdout: rendered.stdout,
      ...(left.length > 0 && { not_expressed: left }),
    },
  };
}

/** What must be refused, with the kind of the error on stderr. */
function badCases(id: AdapterId) {
  const untold = EVENT_NAMES.find((event) => hookFor(ADAPTERS[id], event) === undefined) ?? "supervisor.tick";
  const told = hookFor(ADAPTERS[id], "frame.opening") === undefined ? "session.started" : "frame.opening";
  const reading = ["read", "--adapter", id];
  const rendering = (event: string) => ["render", "--adapter", id, "--event", event];
  const [invalid, unsupported] = [2, 3];
  return [
    {
      id: `${id}/bad/read-an-unknown-hook`,
      args: [...reading, "--hook", "NoSuchHook"],
      stdin: {},
      expect: { exit: unsupported, error: "unknown_event" },
    },
    {
      id: `${id}/bad/read-no-hook`,
      args: reading,
      stdin: {},
      expect: { exit: invalid, error: "no_event_name" },
    },
    {
      id: `${id}/bad/read-a-list`,
      args: reading,
      stdin: [],
      expect: { exit: invalid, error: "not_an_object" },
    },
    {
      id: `${id}/bad/render-an-event-it-has-not`,
      args: rendering(untold),
      stdin: {},
      expect: { exit: unsupported, error: "unsupported_event" },
    },
    {
      id: `${id}/bad/render-a-blank-reason`,
      args: rendering(told),
      stdin: { directive: { kind: "block", reason: " \t" } },
      expect: { exit: invalid, error: "invalid_directive" },
    },
    {
      id: `${id}/bad/render-an-unknown-directive`,
      args: rendering(told),
      stdin: { directive: { kind: "shout" } },
      expect: { exit: invalid, error: "invalid_directive" },
    },
    {
      id: `${id}/bad/render-a-payload-without-id`,
      args: rendering(told),
      stdin: { payloads: [{ payload_kind: "k", body: "b" }] },
      expect: { exit: invalid, error: "invalid_input" },
    },
  ];
}
