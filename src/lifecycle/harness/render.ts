import {
  type AdapterId,
  type Expression,
  type HarnessAdapter,
  type HookRow,
  reasonOf,
  saysOf,
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
import { type ContextForm, type NotExpressed, type PlacedPayload, tellContext } from "./tell-context.ts";

export interface RenderRequest {
  readonly adapter: string;
  readonly event: EventName;
  /** Who the request of the event says the adapter is; must be it, or another name for it. */
  readonly adapterId?: string;
  /** The hook that asked, where several mean one event. */
  readonly hookEventName?: string;
  readonly payloads?: readonly PlacedPayload[];
  readonly result?: LifecycleResult;
  readonly form?: ContextForm;
  /** Payloads that are known to be bad. The compatible form tells them all the same, as the original does. */
  readonly faults?: PayloadFaults;
  /** Without it nothing has expired. */
  readonly nowEpochS?: number;
}

export interface Rendering {
  readonly ok: true;
  readonly adapter: AdapterId;
  readonly event: EventName;
  readonly hookEventName: string;
  readonly channel: HarnessAdapter["channel"];
  readonly body: JsonObject;
  /** What a hook prints: the body as JSON with sorted keys, and no line end. */
  readonly stdout: string;
  readonly exitCode: number;
  /** Parts of the result that are in it, then payloads by their ids. */
  readonly rendered: { readonly result: readonly ResultPart[]; readonly payloads: readonly string[] };
  readonly notExpressed: readonly NotExpressed[];
  /** More context than the harness gives to the model as it is. Only the compatible form lets it happen. */
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

/** Neutral result to what the harness consumes. What it cannot be told is in `notExpressed`, never lost. */
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

/** What the original calls a block. */
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
  const told = tellResult(adapter, row, request);
  const context = tellContext(adapter, row, {
    payloads: request.payloads ?? [],
    texts: request.result.context ?? [],
    form: request.form,
    faults: request.faults,
    nowEpochS: request.nowEpochS,
  });
  const body = [context.body, ...told.bodies].reduce(merged, {});
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
      result: [...told.parts, ...(context.hasTexts ? (["context"] as const) : [])],
      payloads: context.payloads,
    },
    notExpressed: [...context.notExpressed, ...told.notExpressed],
    overBudget:
      context.bytes > adapter.contextBudget
        ? { bytes: context.bytes, budget_bytes: adapter.contextBudget }
        : null,
  };
}

/** The parts that a result has, without its context. */
function partsOf(result: LifecycleResult): Exclude<ResultPart, "context">[] {
  const kind = result.decision?.kind ?? "none";
  return [
    ...(kind === "none" ? [] : [kind]),
    ...(result.updated_input === undefined ? [] : (["updated_input"] as const)),
    ...(result.updated_output === undefined ? [] : (["updated_output"] as const)),
    ...(result.user_message === undefined ? [] : (["user_message"] as const)),
  ];
}

function tellResult(adapter: HarnessAdapter, row: HookRow, request: Complete) {
  const { result } = request;
  const bodies: JsonObject[] = [];
  const parts: ResultPart[] = [];
  const notExpressed: NotExpressed[] = [];
  for (const part of partsOf(result)) {
    const expression = expressionOf(part, adapter, row, request);
    if ("cannot" in expression) {
      notExpressed.push({ what: part, reason: expression.cannot });
      continue;
    }
    const { body, losesReason = false } = expression;
    bodies.push(body);
    parts.push(part);
    const reason = part === result.decision?.kind ? reasonOf(result.decision) : undefined;
    if (reason !== undefined && (losesReason || !mentions(body, reason)))
      notExpressed.push({ what: "reason", reason: `${row.hook} takes no reason with ${part}` });
  }
  return { bodies, parts, notExpressed };
}

function expressionOf(
  part: Exclude<ResultPart, "context">,
  adapter: HarnessAdapter,
  row: HookRow,
  { event, result }: Complete,
): Expression {
  const says = saysOf(row, event);
  if (part === "allow") {
    // To let go on is what happens anyway, where it is no more than that.
    if (says.allow === undefined && !grantsOnAllow(event)) return { body: {} };
    if (grantsOnAllow(event) && losesInput(says, result))
      return { cannot: "it is for another input, which the harness does not take" };
  }
  return says[part]?.write(result) ?? { cannot: `${row.hook} of ${adapter.displayName} has no place for it` };
}

/** Whether what would be allowed is not what the harness would do. */
function losesInput(says: ReturnType<typeof saysOf>, result: LifecycleResult): boolean {
  if (result.updated_input === undefined) return false;
  const expression = says.updated_input?.write(result);
  return expression === undefined || "cannot" in expression;
}

/** Whether a text is among what the harness is told. */
function mentions(body: JsonValue, text: string): boolean {
  if (typeof body !== "object" || body === null) return body === text;
  return Object.values(body).some((member: JsonValue) => mentions(member, text));
}

/** Objects of both are put together; elsewhere the later one counts. Names are those of the tables. */
function merged(one: JsonObject, other: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const present = one[key];
    result[key] = isPlainObject(present) && isPlainObject(value) ? merged(present, value) : value;
  }
  return result;
}
