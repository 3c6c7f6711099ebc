import { ownMember } from "../text/json.ts";
import { isBlank } from "../text/text.ts";
import { continuesOnBlock, type EventName } from "./events.ts";

/** A value as JSON has them. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** What whoever was told of an event wants to happen. */
export type Decision =
  | { readonly kind: "none" }
  | { readonly kind: "allow"; readonly reason?: string }
  | { readonly kind: "deny"; readonly reason: string }
  /** A person is to be asked. */
  | { readonly kind: "ask"; readonly reason?: string }
  /** The whole run is to end, not only this action. */
  | { readonly kind: "stop"; readonly reason?: string }
  /** Work that would end goes on, with this prompt. */
  | { readonly kind: "continue_with"; readonly prompt: string };

export const DECISION_KINDS = ["none", "allow", "deny", "ask", "stop", "continue_with"] as const;

/** One answer to any event of any harness. Each harness can express a part of it, and its adapter says which. */
export interface LifecycleResult {
  readonly decision?: Decision;
  /** Texts that the model is to be told, after the payloads. */
  readonly context?: readonly string[];
  /** What a tool or a model is to be called with instead. */
  readonly updated_input?: JsonValue;
  /** What the model is to be told of a tool, or the user of a model, instead. */
  readonly updated_output?: JsonValue;
  /** For the person in front of the harness, never for the model. */
  readonly user_message?: string;
}

/** The parts of a result that a harness may or may not be able to express. */
export const RESULT_PARTS = [
  "allow",
  "deny",
  "ask",
  "stop",
  "continue_with",
  "context",
  "updated_input",
  "updated_output",
  "user_message",
] as const;
export type ResultPart = (typeof RESULT_PARTS)[number];

/** The two words of the original protocol. */
export type Directive = { readonly kind: "allow" } | { readonly kind: "block"; readonly reason: string };

/** A directive as it comes from outside; undefined if it is none. */
export function parseDirective(value: unknown): Directive | null | undefined {
  if (value === null || value === undefined) return null;
  const kind = ownMember(value, "kind");
  const reason = ownMember(value, "reason");
  const members = typeof value === "object" ? Object.keys(value).length : 0;
  if (kind === "allow" && members === 1) return { kind };
  return kind === "block" && typeof reason === "string" && members === 2 ? { kind, reason } : undefined;
}

export function resultOfDirective(directive: Directive | null, event: EventName): LifecycleResult {
  if (directive === null) return {};
  if (directive.kind === "allow") return { decision: { kind: "allow" } };
  return continuesOnBlock(event)
    ? { decision: { kind: "continue_with", prompt: directive.reason } }
    : { decision: { kind: "deny", reason: directive.reason } };
}

/** Why a result cannot be acted on wherever it is rendered; null if it can. */
export function invalidResult(result: LifecycleResult): string | null {
  const { decision } = result;
  if (decision?.kind === "deny" && isBlank(decision.reason))
    return "a denial needs a reason that is not blank";
  if (decision?.kind === "continue_with" && isBlank(decision.prompt))
    return "going on needs a prompt that is not blank";
  return null;
}
