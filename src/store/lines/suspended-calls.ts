/**
 * The calls of a response while one of them waits for an answer. Lines describe changes of the calls; folded, they say
 * how a turn continues in another process. Without a question no such line is written.
 */
import {
  numberMember,
  objectMember,
  objectsMember,
  textMember,
  withoutNulls,
} from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";

/** The turn of the calls, which a later process continues. */
export interface SuspendedTurnFacts {
  readonly turnId: string;
  readonly rootTurnId: string | null;
  readonly parentTurnId: string | null;
  readonly startedAtMs: number;
  /** A JSON schema that the final answer must follow; null for none. */
  readonly outputSchema: unknown;
  readonly serviceTier: string | null;
}

export type CallState =
  /** It has not started. */
  | { readonly kind: "open" }
  /** It may have had effects, and is never run again. */
  | { readonly kind: "started" }
  /** The output for the model, as an item of the Responses API. */
  | { readonly kind: "done"; readonly output: JsonObject }
  | { readonly kind: "waiting"; readonly waiting: WaitingCall };

/** A call that has not started, because it waits for an answer. */
export interface WaitingCall {
  /** The item of the question. */
  readonly itemId: string;
  /** The call as its hooks have left it. */
  readonly call: StoredCall;
  /** The decision of a PreToolUse hook. */
  readonly preset: { readonly behavior: "allow" | "ask"; readonly reason: string | null } | null;
  /** The sandbox has stopped the command, and the question is whether it runs without one. */
  readonly afterDenial: "approved" | "unapproved" | null;
}

export interface StoredCall {
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string;
  readonly input: string;
}

export interface CallChange {
  readonly callId: string;
  readonly state: CallState;
}

export interface CallsChange {
  readonly turnId: string;
  /** The turn, in the first line of a response: the line then has all calls of the response, in order. */
  readonly turn: SuspendedTurnFacts | null;
  readonly calls: readonly CallChange[];
}

/** The folded lines of one response. */
export interface SuspendedCalls {
  readonly turn: SuspendedTurnFacts;
  /** In call order. */
  readonly calls: ReadonlyMap<string, CallState>;
}

export function storeCalls({ turnId, turn, calls }: CallsChange): JsonObject {
  return {
    turn_id: turnId,
    ...(turn !== null && { turn: storeTurn(turn) }),
    calls: calls.map(({ callId, state }) => ({ call_id: callId, ...storeState(state) })),
  };
}

function storeTurn(turn: SuspendedTurnFacts): JsonObject {
  return withoutNulls(
    {
      root_turn_id: turn.rootTurnId,
      parent_turn_id: turn.parentTurnId,
      output_schema: turn.outputSchema,
      service_tier: turn.serviceTier,
    },
    { started_at_ms: turn.startedAtMs },
  );
}

function storeState(state: CallState): JsonObject {
  switch (state.kind) {
    case "open":
    case "started":
      return { state: state.kind };
    case "done":
      return { state: "done", output: state.output };
    case "waiting": {
      const { itemId, call, preset, afterDenial } = state.waiting;
      const { name, namespace, input } = call;
      return withoutNulls(
        { namespace, preset, after_denial: afterDenial },
        { state: "waiting", item_id: itemId, name, input },
      );
    }
  }
}

/** Folds a `heddle_calls` member into the calls so far; null where it cannot be continued. */
export function foldCalls(before: SuspendedCalls | null, stored: JsonObject): SuspendedCalls | null {
  const turnId = textMember(stored, "turn_id") ?? "";
  const described = objectMember(stored, "turn");
  const isKnown = before !== null && before.turn.turnId === turnId;
  if (described === null && !isKnown) return null;
  const turn = described === null ? before?.turn : readTurn(turnId, described);
  if (turn === undefined) return null;
  const calls = new Map(described === null ? before?.calls : []);
  for (const change of objectsMember(stored, "calls")) {
    const callId = textMember(change, "call_id");
    const state = callId === null ? null : readState(change, callId);
    if (callId !== null && state !== null) calls.set(callId, state);
  }
  return { turn, calls };
}

function readTurn(turnId: string, stored: JsonObject): SuspendedTurnFacts {
  return {
    turnId,
    rootTurnId: textMember(stored, "root_turn_id"),
    parentTurnId: textMember(stored, "parent_turn_id"),
    startedAtMs: numberMember(stored, "started_at_ms") ?? 0,
    outputSchema: stored["output_schema"] ?? null,
    serviceTier: textMember(stored, "service_tier"),
  };
}

/** An unknown state counts as started: such a call is not run. */
function readState(stored: JsonObject, callId: string): CallState {
  switch (textMember(stored, "state")) {
    case "open":
      return { kind: "open" };
    case "done": {
      const output = objectMember(stored, "output");
      return output === null ? { kind: "started" } : { kind: "done", output };
    }
    case "waiting":
      return readWaiting(stored, callId);
    default:
      return { kind: "started" };
  }
}

function readWaiting(stored: JsonObject, callId: string): CallState {
  const [itemId, name, input] = ["item_id", "name", "input"].map((key) => textMember(stored, key));
  if (itemId == null || name == null || input == null) return { kind: "started" };
  const namespace = textMember(stored, "namespace");
  const call = { callId, name, input, ...(namespace === null ? {} : { namespace }) };
  const preset = objectMember(stored, "preset");
  const afterDenial = textMember(stored, "after_denial");
  return {
    kind: "waiting",
    waiting: {
      itemId,
      call,
      preset: preset === null ? null : readPreset(preset),
      afterDenial: afterDenial === "approved" || afterDenial === "unapproved" ? afterDenial : null,
    },
  };
}

/** A preset that is not understood wants the user to be asked. */
function readPreset(stored: JsonObject): WaitingCall["preset"] {
  const behavior = textMember(stored, "behavior") === "allow" ? "allow" : "ask";
  return { behavior, reason: textMember(stored, "reason") };
}
