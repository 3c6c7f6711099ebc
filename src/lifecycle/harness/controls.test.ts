/** Compares rendered output with answers that the programs were observed to act on, and claims with those. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ADAPTER_IDS, hookFor } from "../adapters/registry.ts";
import { ADAPTERS } from "../index.ts";
import { supports } from "../vocabulary/closed-sets.ts";
import { type EventName, grantsOnAllow } from "../vocabulary/events.ts";
import type { JsonObject, JsonValue, LifecycleResult, ResultPart } from "../vocabulary/result.ts";
import { findManifest } from "./manifest-of.ts";
import { type RenderRequest, render } from "./render.ts";

interface Control {
  /** The run in which it was observed. */
  readonly seen_in: string;
  readonly hook: string;
  readonly event: EventName;
  readonly result: LifecycleResult;
  /** The answer of the hook. */
  readonly answer: JsonObject;
  /** The reaction of the program. */
  readonly did: string;
}

const controls: {
  readonly works: Readonly<Record<string, readonly Control[]>>;
  readonly in_vain: readonly (Pick<Control, "seen_in" | "event" | "answer" | "did"> & {
    readonly adapter: string;
  })[];
} = JSON.parse(readFileSync("fixtures/lifecycle/controls.json", "utf8"));

const RESULTS: Readonly<Record<string, LifecycleResult>> = JSON.parse(
  readFileSync("fixtures/lifecycle/results.json", "utf8"),
);

function bodyOf(request: RenderRequest): JsonObject {
  const result = render(request);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.body;
}

/** Removes the fences, which the observed answers did not have. */
function withoutFences(value: JsonValue): JsonValue {
  if (typeof value === "string") return /^~~~ payload .*\n([\s\S]*)\n~~~$/u.exec(value)?.[1] ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutFences);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutFences(member)]));
}

function partsOf({ decision, context, ...rest }: LifecycleResult): ResultPart[] {
  return [
    ...(decision === undefined || decision.kind === "none" ? [] : [decision.kind]),
    ...(context === undefined ? [] : (["context"] as const)),
    ...(Object.keys(rest) as ResultPart[]),
  ];
}

describe.each(Object.entries(controls.works))("%s", (adapter, seen) => {
  test.each(seen.map((control) => [control.event, partsOf(control.result).join(), control] as const))(
    "renders at %s %s as it was seen to work",
    (event, _parts, { hook, result, answer }) => {
      expect(withoutFences(bodyOf({ adapter, event, hookEventName: hook, result }))).toEqual(answer);
    },
  );

  test("claims nothing that was not seen to work", () => {
    const worked = new Set(
      seen.flatMap(({ event, result }) => partsOf(result).map((part) => `${event} ${part}`)),
    );
    const id = ADAPTER_IDS.find((each) => each === adapter) ?? "codex";
    const claimed = Object.entries(findManifest(adapter)?.lifecycle_events ?? {}).flatMap(([name, claim]) => {
      const event = name as EventName;
      const row = hookFor(ADAPTERS[id], event);
      // A hook that also answers for another event gives the same answer as at its own.
      const own = row?.alsoFor?.includes(event) === true ? row.reads : event;
      return Object.entries(claim.results ?? {})
        .filter(
          ([part, support]) => supports(support, "partial") && (part !== "allow" || grantsOnAllow(event)),
        )
        .map(([part]) => `${typeof own === "string" ? own : own.among[0]} ${part}`);
    });
    expect(claimed.filter((claim) => !worked.has(claim))).toEqual([]);
  });
});

test.each(controls.in_vain.map((control) => [control.adapter, control.event, control.did, control] as const))(
  "%s is never told at %s what was seen to do this: %s",
  (adapter, event, _did, { answer }) => {
    const shapes = Object.values(RESULTS).flatMap((result) => {
      const rendered = render({ adapter, event, result });
      return rendered.ok ? [shapeOf(rendered.body)] : [];
    });
    expect(shapes.length).toBeGreaterThan(10);
    expect(shapes).not.toContain(shapeOf(answer));
  },
);

/** Members whose value decides something; other texts are free. */
const DECIDING = [
  "decision",
  "permissionDecision",
  "behavior",
  "status",
  "type",
  "resultType",
  "hookEventName",
];

function shapeOf(value: JsonValue, name = ""): string {
  if (typeof value === "string") return DECIDING.includes(name) ? value : "…";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "[…]";
  const members = Object.entries(value).map(([each, member]) => `${each}:${shapeOf(member, each)}`);
  return `{${members.sort().join()}}`;
}
