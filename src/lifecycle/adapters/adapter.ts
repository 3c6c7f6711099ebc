import type { AdapterRole, IntegrationMode, Placement, SupportState } from "../vocabulary/closed-sets.ts";
import type { EventName } from "../vocabulary/events.ts";
import type { Decision, JsonObject, JsonValue, LifecycleResult, ResultPart } from "../vocabulary/result.ts";
import type { AdapterManifest, PlacementClaim } from "../wire/manifest.ts";

export type AdapterId = "codex" | "claude" | "gemini" | "cursor" | "copilot" | "opencode" | "heddle";

/** A part of what the harness is told, or why the part of the result cannot be told. */
export type Expression =
  | {
      readonly body: JsonObject;
      /** The harness takes the reason of the decision and tells it to nobody. */
      readonly losesReason?: boolean;
    }
  | { readonly cannot: string };

/** What the table of an adapter was held against. */
export interface Evidence {
  /** As its package is called. */
  readonly program: string;
  /** Absent where it is this package itself, or nothing was run. */
  readonly version?: string;
  /** `observed`: programs of this version were run, and did what is claimed. `documented`: it is what their makers say. */
  readonly basis: "observed" | "documented";
}

/** How one part of a result is told to one hook. */
export interface Writer {
  readonly support: Extract<SupportState, "native" | "partial">;
  readonly write: (result: LifecycleResult) => Expression;
}

/** What is told of a native input, by what neutral name, and where it stands in the input. */
export type FieldPaths = Readonly<Record<string, string>>;

/** One hook of a harness: what it is called, what it means, what it can be told. */
export interface HookRow {
  /** As the harness calls it. */
  readonly hook: string;
  readonly aliases?: readonly string[];
  /** The event that an input is read as. One that can mean several says which one an input means; null for none. */
  readonly reads:
    | EventName
    | { readonly among: readonly EventName[]; readonly choose: (input: unknown) => EventName | null };
  /** Events that it answers for although no input is read as them. */
  readonly alsoFor?: readonly EventName[];
  /** Whether the harness has all of it; it has unless told. */
  readonly support?: Extract<SupportState, "native" | "partial">;
  /** Where payloads go, and how they are told. Without it there is no context here. */
  readonly context?: {
    readonly placements: Partial<Readonly<Record<Placement, PlacementClaim>>>;
    readonly write: (text: string) => JsonObject;
  };
  readonly says?: Partial<Readonly<Record<Exclude<ResultPart, "context">, Writer>>>;
  /** Which of its events it can be told something at; all unless told. */
  readonly saysAt?: readonly EventName[];
  /** Members of the input beyond those that all hooks of the harness have. */
  readonly fields?: FieldPaths;
  /**
   * What the compatible form does otherwise, as the original does: it has no such hook (`unsupported_event`), takes no
   * block here (`unsupported_directive`), or tells a context also where it is empty (`always_context`).
   */
  readonly compatible?: "unsupported_event" | "unsupported_directive" | "always_context";
}

/** All there is to know of a harness. */
export interface HarnessAdapter {
  readonly id: AdapterId;
  readonly aliases: readonly string[];
  readonly version: string;
  readonly displayName: string;
  readonly role: AdapterRole;
  readonly modes: readonly IntegrationMode[];
  /** How an answer gets there: as what a program prints, or as a change of an object in the same process. */
  readonly channel: "stdout" | "mutation";
  readonly evidence: Evidence;
  /** The most bytes of context for one event; above it the harness cuts or moves it to a file. */
  readonly contextBudget: number;
  /** Where an input names its hook, if it does. */
  readonly hookName: readonly string[];
  /** The hook of an input that names none, where its members tell. */
  readonly unnamed?: (input: unknown) => string | undefined;
  readonly identity: {
    readonly session: readonly string[];
    /** What lives as long as a turn. */
    readonly frame: readonly string[];
  };
  /** What is known of starting anew; nothing is claimed where nothing is known. */
  readonly renewal?: AdapterManifest["renewal"];
  /** Members that inputs of all hooks have. */
  readonly fields: FieldPaths;
  readonly hooks: readonly HookRow[];
}

export function native(write: (result: LifecycleResult) => Expression): Writer {
  return { support: "native", write };
}

export function partial(write: (result: LifecycleResult) => Expression): Writer {
  return { support: "partial", write };
}

/** For a harness that cannot end the run here: what was to be stopped does not happen, and the run goes on. */
export function deniedAtLeast({ write }: Writer): Writer {
  return partial((result) => {
    const reason = reasonOf(result.decision) ?? "a hook wants the run to end";
    return write({ ...result, decision: { kind: "deny", reason } });
  });
}

export function told(body: JsonObject): Expression {
  return { body };
}

export function cannot(why: string): Expression {
  return { cannot: why };
}

/** A writer of the reason of a decision, under the names of the harness. */
export function withReason(body: JsonObject, member: string): (result: LifecycleResult) => Expression {
  return (result) => {
    const text = reasonOf(result.decision);
    return told(text === undefined ? body : { ...body, [member]: text });
  };
}

/** What several harnesses say in the same words. */
export const BLOCK = native(withReason({ decision: "block" }, "reason"));
export const STOP = native(withReason({ continue: false }, "stopReason"));
export const SYSTEM_MESSAGE: Writer = native(({ user_message = "" }) =>
  told({ systemMessage: user_message }),
);

/** What hooks of the end of work are told in the words of Codex and Claude Code. */
export const STOPPING: FieldPaths = {
  stop_hook_active: "stop_hook_active",
  last_assistant_message: "last_assistant_message",
};

export function reasonOf(decision: Decision | undefined): string | undefined {
  if (decision === undefined || decision.kind === "none") return undefined;
  return decision.kind === "continue_with" ? decision.prompt : decision.reason;
}

/** A writer of a text that replaces what a tool has said. */
export function textOnly(
  value: JsonValue | undefined,
  what: string,
  write: (text: string) => JsonObject,
): Expression {
  return typeof value === "string" ? told(write(value)) : cannot(`${what} takes a text only`);
}

/** A writer of an object that replaces arguments. */
export function objectOnly(
  value: JsonValue | undefined,
  what: string,
  write: (value: JsonObject) => JsonObject,
): Expression {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? told(write(value as JsonObject))
    : cannot(`${what} takes an object only`);
}

/** What the hook can be told at one of its events. */
export function saysOf(row: HookRow, event: EventName): NonNullable<HookRow["says"]> {
  return row.saysAt === undefined || row.saysAt.includes(event) ? (row.says ?? {}) : {};
}

export function eventsRead({ reads }: HookRow): readonly EventName[] {
  return typeof reads === "string" ? [reads] : reads.among;
}
