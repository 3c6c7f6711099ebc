import {
  type AdapterId,
  type HarnessAdapter,
  type HookRow,
  reasonOf,
  type WrittenPart,
  writersOf,
} from "../adapters/adapter.ts";
import { findAdapter, hookFor } from "../adapters/registry.ts";
import type { PayloadFaults } from "../placement/payload-faults.ts";
import { isJson, isPlainObject, sortedJson } from "../text/json.ts";
import { type EventName, grantsOnAllow } from "../vocabulary/events.ts";
import {
  invalidResult,
  type JsonObject,
  type JsonValue,
  type LifecycleResult,
  type ResultPart,
} from "../vocabulary/result.ts";
import { type ContextForm, type NotExpressed, type PlacedPayload, renderContext } from "./render-context.ts";

export interface RenderRequest {
  readonly adapter: string;
  readonly event: EventName;
  /** The adapter id in the event's request; must be the id or an alias of the adapter. */
  readonly adapterId?: string;
  /** The hook that awaits the output, where several are read as one event. */
  readonly hookEventName?: string;
  readonly payloads?: readonly PlacedPayload[];
  readonly result?: LifecycleResult;
  readonly form?: ContextForm;
  /** Payloads with known faults. The compatible form renders them nevertheless, to match the original. */
  readonly faults?: PayloadFaults;
  /** Absent: no payload counts as expired. */
  readonly nowEpochS?: number;
}

export interface Rendering {
  readonly ok: true;
  readonly adapter: AdapterId;
  readonly event: EventName;
  readonly hookEventName: string;
  readonly channel: HarnessAdapter["channel"];
  readonly body: JsonObject;
  /** The output of a hook program: the body as JSON with sorted keys, without a line end. */
  readonly stdout: string;
  readonly exitCode: number;
  /** The rendered parts of the result, and the ids of the rendered payloads. */
  readonly rendered: { readonly result: readonly ResultPart[]; readonly payloads: readonly string[] };
  readonly notExpressed: readonly NotExpressed[];
  /** The context exceeds the harness's limit, which only the compatible form allows. */
  readonly overBudget: { readonly bytes: number; readonly budget_bytes: number } | null;
}

export type RenderError =
  | { readonly kind: "unknown_adapter"; readonly detail: string }
  | { readonly kind: "invalid_directive"; readonly detail: string }
  | {
      readonly kind: "adapter_id_mismatch";
      readonly detail: { readonly adapter: AdapterId; readonly adapter_id: string };
    }
  | {
      readonly kind: "unsupported_event" | "unsupported_directive";
      readonly detail: { readonly adapter: AdapterId; readonly event: EventName };
    };

export type Rendered = Rendering | { readonly ok: false; readonly error: RenderError };

/**
 * Converts a neutral result to native hook output. Parts that the harness cannot express are listed in `notExpressed`.
 */
export function render(request: RenderRequest): Rendered {
  const { event, result = {}, form = "readable" } = request;
  const invalid = invalidResult(result) ?? notJson(result);
  if (invalid !== null) return refusal({ kind: "invalid_directive", detail: invalid });
  const adapter = findAdapter(request.adapter);
  if (adapter === undefined)
    return refusal({
      kind: "unknown_adapter",
      detail: `there is no adapter ${JSON.stringify(request.adapter)}`,
    });
  if (request.adapterId !== undefined && findAdapter(request.adapterId) !== adapter)
    return refusal({
      kind: "adapter_id_mismatch",
      detail: { adapter: adapter.id, adapter_id: request.adapterId },
    });
  const row = hookFor(adapter, event, request.hookEventName);
  const detail = { adapter: adapter.id, event };
  if (row === undefined) return refusal({ kind: "unsupported_event", detail });
  if (form === "compatible") {
    if (row.compatible === "unsupported_event") return refusal({ kind: "unsupported_event", detail });
    if (row.compatible === "unsupported_directive" && isBlock(result))
      return refusal({ kind: "unsupported_directive", detail });
  }
  return renderRow(adapter, row, { ...request, result, form });
}

function refusal(error: RenderError): Rendered {
  return { ok: false, error };
}

/** A block in the original protocol. */
function isBlock({ decision }: LifecycleResult): boolean {
  return decision?.kind === "deny" || decision?.kind === "continue_with";
}

function notJson({ updated_input, updated_output }: LifecycleResult): string | null {
  if (updated_input !== undefined && !isJson(updated_input))
    return "updated_input is no JSON of a size that is taken";
  if (updated_output !== undefined && !isJson(updated_output))
    return "updated_output is no JSON of a size that is taken";
  return null;
}

type Complete = RenderRequest & { readonly result: LifecycleResult; readonly form: ContextForm };

function renderRow(adapter: HarnessAdapter, row: HookRow, request: Complete): Rendering {
  const written = renderResult(adapter, row, request);
  const context = renderContext(adapter, row, {
    payloads: request.payloads ?? [],
    texts: request.result.context ?? [],
    form: request.form,
    faults: request.faults,
    nowEpochS: request.nowEpochS,
  });
  const body = [context.body, ...written.bodies].reduce(merged, {});
  return {
    ok: true,
    adapter: adapter.id,
    event: request.event,
    hookEventName: row.hook,
    channel: adapter.channel,
    body,
    stdout: sortedJson(body),
    exitCode: 0,
    rendered: {
      result: [...written.parts, ...(context.hasTexts ? (["context"] as const) : [])],
      payloads: context.payloads,
    },
    notExpressed: [...context.notExpressed, ...written.notExpressed],
    overBudget:
      context.bytes > adapter.contextBudget
        ? { bytes: context.bytes, budget_bytes: adapter.contextBudget }
        : null,
  };
}

/** The parts of a result, without its context. */
function partsOf(result: LifecycleResult): Exclude<ResultPart, "context">[] {
  const kind = result.decision?.kind ?? "none";
  return [
    ...(kind === "none" ? [] : [kind]),
    ...(result.updated_input === undefined ? [] : (["updated_input"] as const)),
    ...(result.updated_output === undefined ? [] : (["updated_output"] as const)),
    ...(result.user_message === undefined ? [] : (["user_message"] as const)),
  ];
}

function renderResult(adapter: HarnessAdapter, row: HookRow, request: Complete) {
  const { result } = request;
  const bodies: JsonObject[] = [];
  const parts: ResultPart[] = [];
  const notExpressed: NotExpressed[] = [];
  for (const part of partsOf(result)) {
    const written = writePart(part, adapter, row, request);
    if ("unsupported" in written) {
      notExpressed.push({ what: part, reason: written.unsupported });
      continue;
    }
    const { body, losesReason = false } = written;
    bodies.push(body);
    parts.push(part);
    const reason = part === result.decision?.kind ? reasonOf(result.decision) : undefined;
    if (reason !== undefined && (losesReason || !mentions(body, reason)))
      notExpressed.push({ what: "reason", reason: `${row.hook} takes no reason with ${part}` });
  }
  return { bodies, parts, notExpressed };
}

function writePart(
  part: Exclude<ResultPart, "context">,
  adapter: HarnessAdapter,
  row: HookRow,
  { event, result }: Complete,
): WrittenPart {
  const writers = writersOf(row, event);
  if (part === "allow") {
    // To allow is the default, so it needs no output where it grants nothing more.
    if (writers.allow === undefined && !grantsOnAllow(event)) return { body: {} };
    if (grantsOnAllow(event) && losesInput(writers, result))
      return { unsupported: "it is for another input, which the harness does not take" };
  }
  return (
    writers[part]?.write(result) ?? {
      unsupported: `${row.hook} of ${adapter.displayName} has no place for it`,
    }
  );
}

/** Whether the harness would run another input than the one that is allowed. */
function losesInput(writers: ReturnType<typeof writersOf>, result: LifecycleResult): boolean {
  if (result.updated_input === undefined) return false;
  const written = writers.updated_input?.write(result);
  return written === undefined || "unsupported" in written;
}

/** Whether a text is part of the output. */
function mentions(body: JsonValue, text: string): boolean {
  if (typeof body !== "object" || body === null) return body === text;
  return Object.values(body).some((member: JsonValue) => mentions(member, text));
}

/** Merges objects recursively; for other values the later one wins. The keys come from the adapter tables. */
function merged(one: JsonObject, other: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const present = one[key];
    result[key] = isPlainObject(present) && isPlainObject(value) ? merged(present, value) : value;
  }
  return result;
}
