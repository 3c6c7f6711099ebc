import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { eventsRead } from "../adapters/adapter.ts";
import { ADAPTER_IDS, ADAPTERS, findHook } from "../adapters/registry.ts";
import { supports } from "../vocabulary/closed-sets.ts";
import { EVENT_NAMES, type EventName, grantsOnAllow, LIFECYCLE_EVENTS } from "../vocabulary/events.ts";
import {
  type JsonObject,
  type LifecycleResult,
  RESULT_PARTS,
  type ResultPart,
} from "../vocabulary/result.ts";
import { parseManifest } from "../wire/manifest.ts";
import { parseRequest } from "../wire/request.ts";
import { findManifest, manifests, withLedger } from "./manifest-of.ts";
import { read, requestOf } from "./read.ts";
import { type RenderRequest, render } from "./render.ts";

/** Hook inputs as recorded from the programs; those of Cursor as its reference shows them. */
interface NativeCase {
  readonly hook: string;
  readonly named?: string;
  readonly input: object;
  readonly event: EventName;
  readonly details: JsonObject;
}

/** One result for each part, under its name, and some with several parts. */
const RESULTS: Readonly<Record<string, LifecycleResult>> = JSON.parse(
  readFileSync("fixtures/lifecycle/results.json", "utf8"),
);

interface RenderCase {
  readonly hook: string;
  readonly event: EventName;
  /** The expected output by result; a result without an entry must have no output. */
  readonly says: Readonly<
    Record<string, { readonly body: JsonObject; readonly notExpressed?: readonly string[] }>
  >;
}

/** A sample result for a part, with the parts that it depends on. */
function sampleOf(part: ResultPart, event: EventName, adapter: string): LifecycleResult {
  return RESULTS[SAMPLES[`${adapter} ${event} ${part}`] ?? part] ?? {};
}

const SAMPLES: Readonly<Record<string, string>> = {
  "claude permission.requested updated_input": "allow with updated_input",
  "claude tool.completed updated_output": "updated_output of a command",
  "gemini model.requested updated_output": "updated_output as an object",
  "gemini model.responded updated_output": "updated_output as an object",
  "copilot frame.opening updated_input": "updated_input as a text",
};

function rendered(request: RenderRequest) {
  const result = render(request);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result;
}

describe.each(ADAPTER_IDS)("%s", (id) => {
  const adapter = ADAPTERS[id];
  const manifest = findManifest(id);
  const inputs: readonly NativeCase[] = JSON.parse(
    readFileSync(`fixtures/lifecycle/native/${id}.json`, "utf8"),
  );
  const claims = EVENT_NAMES.map((event) => [event, manifest?.lifecycle_events[event]] as const);

  test("has a manifest that is one", () => {
    expect(parseManifest(manifest)).toEqual({ ok: true, value: manifest });
    expect(Object.keys(manifest?.lifecycle_events ?? {})).toEqual(EVENT_NAMES);
  });

  test.each(inputs.map((each) => [each.hook, each.event, each] as const))("reads %s as %s", (_, __, each) => {
    const result = read(id, each.input, each.named === undefined ? {} : { hookEventName: each.named });
    if (!result.ok) throw new Error(JSON.stringify(result.error));
    expect(result.event).toMatchObject({ adapter_id: id, event: each.event, hook_event_name: each.hook });
    expect(result.event.details).toMatchObject(each.details);
    expect(result.event.harness_session_id).toMatch(/./);
    const request = requestOf(result.event, { eventId: "e", invocationId: "i" });
    expect(parseRequest(request, { extensions: true })).toEqual({ ok: true, value: request });
  });

  const cases: readonly RenderCase[] = JSON.parse(
    readFileSync(`fixtures/lifecycle/render/${id}.json`, "utf8"),
  );

  test.each(cases.map((each) => [each.hook, each.event, each] as const))(
    "tells %s at %s exactly this",
    (hookEventName, event, { says }) => {
      for (const [name, result] of Object.entries(RESULTS)) {
        const actual = rendered({ adapter: id, event, hookEventName, result });
        const missing = actual.notExpressed.map(({ what }) => what);
        const { body, notExpressed = [] } = says[name] ?? {
          body: {},
          notExpressed: expect.arrayContaining([expect.any(String)]),
        };
        expect([name, actual.body, missing]).toEqual([name, body, notExpressed]);
      }
    },
  );

  test("has a case for each hook and event", () => {
    expect(cases.map(({ hook, event }) => [hook, event])).toEqual(
      adapter.hooks.flatMap((row) =>
        [...eventsRead(row), ...(row.alsoFor ?? [])].map((event) => [row.hook, event]),
      ),
    );
  });

  test("has an input for each hook and for each event that it claims to be told of", () => {
    expect([...new Set(inputs.map(({ hook }) => hook))].sort()).toEqual(
      adapter.hooks.map(({ hook }) => hook).sort(),
    );
    const isRead = new Set(inputs.map(({ event }) => event));
    const claimed = claims.filter(([, claim]) => claim?.support === "native" || claim?.support === "partial");
    expect(claimed.map(([event]) => event).filter((event) => !isRead.has(event))).toEqual([]);
    expect(
      [...isRead].filter(
        (event) => !supports(manifest?.lifecycle_events[event]?.support ?? "unavailable", "partial"),
      ),
    ).toEqual([]);
  });

  test.each(claims.filter(([, claim]) => claim?.hook === undefined).map(([event]) => [event]))(
    "refuses %s, for which it has no hook",
    (event) => {
      for (const form of ["compatible", "readable"] as const)
        expect(render({ adapter: id, event, form })).toEqual({
          ok: false,
          error: { kind: "unsupported_event", detail: { adapter: id, event } },
        });
    },
  );

  const withHook = claims.flatMap(([event, claim]) =>
    claim?.hook === undefined ? [] : ([[event, claim]] as const),
  );

  test.each(withHook)("says at %s what it claims to be able to say", (event, claim) => {
    for (const part of RESULT_PARTS) {
      const support = claim.results?.[part] ?? "unavailable";
      const plain = rendered({ adapter: id, event });
      const actual = rendered({ adapter: id, event, result: sampleOf(part, event, id) });
      expect(actual.hookEventName).toBe(claim.hook);
      if (supports(support, "partial")) {
        const lost = actual.notExpressed.filter(({ what }) => support === "native" || what !== "reason");
        expect([part, actual.rendered.result, lost]).toEqual([part, expect.arrayContaining([part]), []]);
        if (part !== "allow") expect(actual.stdout).not.toBe(plain.stdout);
        continue;
      }
      expect(actual.rendered.result).not.toContain(part);
      expect(actual.notExpressed).toEqual([expect.objectContaining({ what: part })]);
      expect(actual.stdout).toBe(plain.stdout);
    }
  });

  test.each(withHook.filter(([event]) => grantsOnAllow(event)))(
    "allows at %s no other input than the one that it takes",
    (event) => {
      const result = RESULTS["allow with updated_input"] ?? {};
      for (const { hook } of adapter.hooks.filter((row) => eventsRead(row).includes(event))) {
        const { notExpressed, body } = rendered({ adapter: id, event, hookEventName: hook, result });
        const lost = notExpressed.map(({ what }) => what);
        if (lost.includes("updated_input")) expect([lost, body]).toEqual([["allow", "updated_input"], {}]);
      }
    },
  );

  test.each(withHook)("places at %s what it claims to be able to place", (event, claim) => {
    for (const placement of [
      "developer_equivalent_frame",
      "pre_prompt_frame",
      "side_channel_context",
    ] as const) {
      const { support = "unavailable", max_bytes: most = 0 } = claim.placement?.[placement] ?? {};
      const place = (body: string) =>
        rendered({
          adapter: id,
          event,
          payloads: [{ placement, envelope: { payload_id: "p", payload_kind: "k", body } }],
        });
      const fits = place("x".repeat(Math.min(most, 8192)));
      if (!supports(support, "partial")) {
        expect(fits.notExpressed).toEqual([expect.objectContaining({ what: "payload", payload_id: "p" })]);
        expect(fits.stdout).toBe(rendered({ adapter: id, event }).stdout);
        continue;
      }
      expect(fits.rendered.payloads).toEqual(["p"]);
      expect(fits.stdout).toContain("x".repeat(Math.min(most, 8192)));
      expect(place("x".repeat(most + 1)).notExpressed).toEqual([
        expect.objectContaining({
          rejection: expect.objectContaining({ reason: "payload_too_large", max_bytes: most }),
        }),
      ]);
    }
  });
});

const unreadable: readonly {
  name: string;
  adapter: string;
  input: unknown;
  hookEventName?: string;
  error: string;
}[] = JSON.parse(readFileSync("fixtures/lifecycle/unreadable.json", "utf8"));

test.each(unreadable)("refuses to read $name, with a reason", ({ adapter, input, hookEventName, error }) => {
  const result = read(adapter, input, hookEventName === undefined ? {} : { hookEventName });
  expect(result).toMatchObject({ ok: false, error: { kind: error } });
  expect(result.ok ? "" : result.error.detail).toMatch(/^.{10,250}$/);
});

test("no adapter claims an event that none is told of", () => {
  for (const { lifecycle_events: claimed } of manifests())
    for (const event of ["frame.opened", "supervisor.tick", "capability.degraded"] as const)
      expect(claimed[event]?.support).toBe("unavailable");
  expect(LIFECYCLE_EVENTS).toHaveLength(14);
});

test("all adapters are found by their names and by nothing else", () => {
  expect(manifests().map(({ adapter_id }) => adapter_id)).toEqual(ADAPTER_IDS);
  expect(findManifest("claude-code")?.adapter_id).toBe("claude");
  for (const name of ["", "Codex", "codex ", "__proto__", "constructor", "toString"]) {
    expect(findManifest(name)).toBeUndefined();
    expect(findHook(ADAPTERS.codex, name)).toBeUndefined();
  }
});

test("each says which program its claims were held against, and how", () => {
  const bases = manifests().map(({ evidence }) => `${evidence?.program} ${evidence?.version ?? ""}`.trim());
  expect(bases).toEqual([
    "@openai/codex 0.166.0",
    "@anthropic-ai/claude-code 2.1.325",
    "@google/gemini-cli 0.61.0",
    "cursor",
    "@github/copilot 1.0.102",
    "opencode-ai 1.18.33",
    "heddle",
  ]);
  const page = readFileSync("docs/lifecycle.md", "utf8").split("\n");
  for (const { adapter_id, evidence } of manifests())
    expect(page.filter((line) => line.startsWith(`| \`${adapter_id}\``))).toEqual([
      expect.stringMatching(new RegExp(`${evidence?.version ?? "–"} .*${evidence?.basis}`, "u")),
    ]);
  const documented = manifests().filter(({ evidence }) => evidence?.basis !== "observed");
  expect(documented.map(({ adapter_id }) => adapter_id)).toEqual(["cursor"]);
});

test("a ledger behind an adapter is a claim, too", () => {
  const [codex] = manifests();
  expect(codex && withLedger(codex).receipts.receipt_ledger).toBe("synthesized");
});
