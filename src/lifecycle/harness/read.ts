import type { AdapterId, HarnessAdapter, HookRow } from "../adapters/adapter.ts";
import { findAdapter, findHook } from "../adapters/registry.ts";
import { DEEPEST_JSON, isJson, ownMember } from "../text/json.ts";
import { isWellFormed } from "../text/text.ts";
import { type EventName, needsFrame } from "../vocabulary/events.ts";
import type { JsonObject, JsonValue } from "../vocabulary/result.ts";
import { type CallbackRequest, type FrameContext, harnessIds } from "../wire/request.ts";
import { WIRE_VERSION } from "../wire/wire-error.ts";

/** A hook input of a harness, in neutral terms. */
export interface NeutralEvent {
  readonly adapter_id: AdapterId;
  readonly event: EventName;
  /** The harness's name of the hook, which rendering needs where several hooks are read as one event. */
  readonly hook_event_name: string;
  readonly harness_session_id?: string;
  /** The id of the turn, where the harness names it. */
  readonly harness_task_id?: string;
  readonly frame_context?: FrameContext;
  /** The members of the input under neutral names: `prompt`, `tool_name`, `tool_input`, `source`, … */
  readonly details: JsonObject;
  /** Names of details that were dropped because they are too deep or too large. */
  readonly omitted?: readonly string[];
}

export type ReadError =
  | { readonly kind: "unknown_adapter"; readonly detail: string }
  | { readonly kind: "not_an_object"; readonly detail: string }
  | { readonly kind: "no_event_name"; readonly detail: string }
  | { readonly kind: "event_name_mismatch"; readonly detail: string }
  | { readonly kind: "unknown_event"; readonly detail: string }
  /** The hook is known, but this input is read as no event. */
  | { readonly kind: "no_event"; readonly detail: string };

export type Read =
  | { readonly ok: true; readonly event: NeutralEvent }
  | { readonly ok: false; readonly error: ReadError };

export interface ReadHookOptions {
  /** The hook that was called, where the input does not name it. */
  readonly hookEventName?: string;
}

/** Converts a native hook input to a neutral event. The input is untrusted: only own members of valid JSON are read. */
export function read(adapterName: string, input: unknown, options: ReadHookOptions = {}): Read {
  const adapter = findAdapter(adapterName);
  if (adapter === undefined)
    return refused("unknown_adapter", `there is no adapter ${JSON.stringify(adapterName)}`);
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return refused("not_an_object", `expected an object as the hook input of ${adapter.displayName}`);
  const row = hookOf(adapter, input, options.hookEventName);
  if ("kind" in row) return { ok: false, error: row };
  const event = typeof row.reads === "string" ? row.reads : row.reads.choose(input);
  if (event === null)
    return refused("no_event", `${row.hook} of ${adapter.displayName} has no event for this input`);
  return { ok: true, event: neutralEvent(adapter, row, event, input) };
}

/** The hook that the input or the caller names; both must agree. */
function hookOf(adapter: HarnessAdapter, input: object, given: string | undefined): HookRow | ReadError {
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
      detail: `${adapter.displayName} has no hook ${JSON.stringify(truncateName(name))} that means an event`,
    };
  if (named !== undefined && findHook(adapter, named) !== row)
    return {
      kind: "event_name_mismatch",
      detail: `the input is of ${JSON.stringify(truncateName(named))}, not of ${JSON.stringify(truncateName(name))}`,
    };
  return row;
}

function refused(kind: ReadError["kind"], detail: string): Read {
  return { ok: false, error: { kind, detail } };
}

function truncateName(name: string): string {
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

/** Details are nested two levels deep in the request. */
const MAX_DETAIL_DEPTH = DEEPEST_JSON - 2;

function detailsOf(
  fields: Readonly<Record<string, string>>,
  input: object,
): Pick<NeutralEvent, "details" | "omitted"> {
  const details: Record<string, JsonValue> = {};
  const omitted: string[] = [];
  for (const [name, paths] of Object.entries(fields)) {
    const value = firstAt(input, paths.split("|"));
    if (value === undefined) continue;
    if (isJson(value, MAX_DETAIL_DEPTH)) details[name] = value as JsonValue;
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

/** The first value that is a non-empty, well-formed string. */
function firstText(input: object, paths: readonly string[]): string | undefined {
  return paths
    .map((path) => firstAt(input, [path]))
    .find((value): value is string => typeof value === "string" && value !== "" && isWellFormed(value));
}

/** Ids that the dispatcher assigns, because no harness provides them. */
export interface RequestIds {
  readonly eventId: string;
  readonly invocationId: string;
  readonly runId?: string;
  readonly idempotencyKey?: string;
}

/** Builds the request for clients. A frame that the harness does not name gets the id of the event. */
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
