import { ownMember } from "../text/json.ts";
import { isBlank } from "../text/text.ts";
import { continuesOnBlock, type EventName } from "./events.ts";

/** A JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The decision of a client about an event. */
export type LifecycleDecision =
  | { readonly kind: "none" }
  | { readonly kind: "allow"; readonly reason?: string }
  | { readonly kind: "deny"; readonly reason: string }
  /** The user is asked. */
  | { readonly kind: "ask"; readonly reason?: string }
  /** The whole run ends, not only this action. */
  | { readonly kind: "stop"; readonly reason?: string }
  /** Work that would end continues, with this prompt. */
  | { readonly kind: "continue_with"; readonly prompt: string };

export const DECISION_KINDS = ["none", "allow", "deny", "ask", "stop", "continue_with"] as const;

/** The answer to any event of any harness. Each harness can express a part of it, which its adapter declares. */
export interface LifecycleResult {
  readonly decision?: LifecycleDecision;
  /** Texts for the model, after the payloads. */
  readonly context?: readonly string[];
  /** Replaces the input of a tool or model call. */
  readonly updated_input?: JsonValue;
  /** Replaces the output of a tool for the model, or of a model for the user. */
  readonly updated_output?: JsonValue;
  /** For the user, never for the model. */
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

/** The directives of the original protocol. */
export type Directive = { readonly kind: "allow" } | { readonly kind: "block"; readonly reason: string };

/** Parses an untrusted directive; undefined where it is invalid, null where there is none. */
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

/** Why a result cannot be rendered for any harness; null where it is valid. */
export function invalidResult(result: LifecycleResult): string | null {
  const { decision } = result;
  if (decision?.kind === "deny" && isBlank(decision.reason))
    return "a denial needs a reason that is not blank";
  if (decision?.kind === "continue_with" && isBlank(decision.prompt))
    return "going on needs a prompt that is not blank";
  return null;
}
