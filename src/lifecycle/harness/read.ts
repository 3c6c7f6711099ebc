import type { AdapterId, HarnessAdapter, HookRow } from "../adapters/adapter.ts";
import { findAdapter, findHook } from "../adapters/registry.ts";
import { DEEPEST_JSON, isJson, ownMember } from "../text/json.ts";
import { isWellFormed } from "../text/text.ts";
import { type EventName, needsFrame } from "../vocabulary/events.ts";
import type { JsonObject, JsonValue } from "../vocabulary/result.ts";
import { type CallbackRequest, type FrameContext, harnessIds } from "../wire/request.ts";
import { WIRE_VERSION } from "../wire/wire-error.ts";

/** What a harness has told one of its hooks, in neutral words. */
export interface NeutralEvent {
  readonly adapter_id: AdapterId;
  readonly event: EventName;
  /** As the harness calls it; rendering the answer needs it where several hooks mean one event. */
  readonly hook_event_name: string;
  readonly harness_session_id?: string;
  /** A turn, where the harness names it. */
  readonly harness_task_id?: string;
  readonly frame_context?: FrameContext;
  /** What the harness tells of it, by neutral names: `prompt`, `tool_name`, `tool_input`, `source`, … */
  readonly details: JsonObject;
  /** Details that are too deep or too large to be told. */
  readonly omitted?: readonly string[];
}

export type Unreadable =
  | { readonly kind: "unknown_adapter"; readonly detail: string }
  | { readonly kind: "not_an_object"; readonly detail: string }
  | { readonly kind: "no_event_name"; readonly detail: string }
  | { readonly kind: "event_name_mismatch"; readonly detail: string }
  | { readonly kind: "unknown_event"; readonly detail: string }
  /** The hook is known, and this input of it means nothing that there is an event for. */
  | { readonly kind: "no_event"; readonly detail: string };

export type Read =
  | { readonly ok: true; readonly event: NeutralEvent }
  | { readonly ok: false; readonly error: Unreadable };

export interface ReadOptions {
  /** The hook that was called, where its input does not say so. */
  readonly hookEventName?: string;
}

/** Native hook input to neutral event, or why not. The input is what JSON or the harness made; nothing in it is believed. */
export function read(adapterName: string, input: unknown, options: ReadOptions = {}): Read {
  const adapter = findAdapter(adapterName);
  if (adapter === undefined)
    return refused("unknown_adapter", `there is no adapter ${JSON.stringify(adapterName)}`);
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return refused("not_an_object", `${adapter.displayName} tells its hooks an object`);
  const row = hookOf(adapter, input, options.hookEventName);
  if ("kind" in row) return { ok: false, error: row };
  const event = typeof row.reads === "string" ? row.reads : row.reads.choose(input);
  if (event === null)
    return refused("no_event", `${row.hook} of ${adapter.displayName} tells of no event with this input`);
  return { ok: true, event: neutralEvent(adapter, row, event, input) };
}

/** The hook that was called, by what its input says and by what the caller knows. */
function hookOf(adapter: HarnessAdapter, input: object, given: string | undefined): HookRow | Unreadable {
  const named = firstText(input, adapter.hookName) ?? adapter.unnamed?.(input);
  const name = given ?? named;
  if (name === undefined)
    return {
      kind: "no_event_name",
      detail: `the input names no hook in ${adapter.hookName.join(" or ")}; say which it is`,
    };
  const row = findHook(adapter, name);
  if (row === undefined)
    return {
      kind: "unknown_event",
      detail: `${adapter.displayName} has no hook ${JSON.stringify(shortened(name))} that means an event`,
    };
  if (named !== undefined && findHook(adapter, named) !== row)
    return {
      kind: "event_name_mismatch",
      detail: `the input is of ${JSON.stringify(shortened(named))}, not of ${JSON.stringify(shortened(name))}`,
    };
  return row;
}

function refused(kind: Unreadable["kind"], detail: string): Read {
  return { ok: false, error: { kind, detail } };
}

function shortened(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}

function neutralEvent(adapter: HarnessAdapter, row: HookRow, event: EventName, input: object): NeutralEvent {
  const session = firstText(input, adapter.identity.session);
  const frame = firstText(input, adapter.identity.frame);
  return {
    adapter_id: adapter.id,
    event,
    hook_event_name: row.hook,
    ...(session !== undefined && { harness_session_id: session }),
    ...(frame !== undefined && { harness_task_id: frame }),
    ...(frame !== undefined && { frame_context: { frame_id: frame, frame_class: "top_level" } }),
    ...detailsOf({ ...adapter.fields, ...row.fields }, input),
  };
}

/** Clients are told the details as members of an object within an object. */
const DEEPEST_DETAIL = DEEPEST_JSON - 2;

function detailsOf(
  fields: Readonly<Record<string, string>>,
  input: object,
): Pick<NeutralEvent, "details" | "omitted"> {
  const details: Record<string, JsonValue> = {};
  const omitted: string[] = [];
  for (const [name, paths] of Object.entries(fields)) {
    const value = firstAt(input, paths.split("|"));
    if (value === undefined) continue;
    if (isJson(value, DEEPEST_DETAIL)) details[name] = value as JsonValue;
    else omitted.push(name);
  }
  return { details, ...(omitted.length > 0 && { omitted }) };
}

function firstAt(input: object, paths: readonly string[]): unknown {
  for (const path of paths) {
    const value = path.split(".").reduce<unknown>(ownMember, input);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The first that is a text that can stand as an identity. */
function firstText(input: object, paths: readonly string[]): string | undefined {
  return paths
    .map((path) => firstAt(input, [path]))
    .find((value): value is string => typeof value === "string" && value !== "" && isWellFormed(value));
}

/** What whoever dispatches an event knows and no harness tells. */
export interface RequestIds {
  readonly eventId: string;
  readonly invocationId: string;
  readonly runId?: string;
  readonly idempotencyKey?: string;
}

/** The request that clients get. A frame that the harness does not name is called after the event. */
export function requestOf(
  event: Omit<NeutralEvent, "hook_event_name"> & { readonly hook_event_name?: string },
  ids: RequestIds,
): CallbackRequest {
  const adapter = findAdapter(event.adapter_id);
  const frame =
    event.frame_context ??
    (needsFrame(event.event) ? ({ frame_id: ids.eventId, frame_class: "top_level" } as const) : undefined);
  return {
    schema_version: WIRE_VERSION,
    event: event.event,
    event_id: ids.eventId,
    adapter_id: event.adapter_id,
    adapter_version: adapter?.version ?? "",
    integration_mode: "native_hook",
    invocation_id: ids.invocationId,
    ...harnessIds(event),
    ...(ids.runId !== undefined && { harness_run_id: ids.runId }),
    ...(frame !== undefined && { frame_context: frame }),
    ...(ids.idempotencyKey !== undefined && { idempotency_key: ids.idempotencyKey }),
    metadata: {
      ...(event.hook_event_name !== undefined && { hook_event_name: event.hook_event_name }),
      ...event.details,
      ...(event.omitted !== undefined && { omitted: event.omitted }),
    },
  };
}
