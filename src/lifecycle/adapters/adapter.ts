import type { AdapterRole, IntegrationMode, Placement, SupportState } from "../vocabulary/closed-sets.ts";
import type { EventName } from "../vocabulary/events.ts";
import type {
  JsonObject,
  JsonValue,
  LifecycleDecision,
  LifecycleResult,
  ResultPart,
} from "../vocabulary/result.ts";
import type { AdapterManifest, PlacementClaim } from "../wire/manifest.ts";

export type AdapterId = "codex" | "claude" | "gemini" | "cursor" | "copilot" | "opencode" | "heddle";

/** The native output for one part of a result, or the reason why the harness has none for it. */
export type WrittenPart =
  | {
      readonly body: JsonObject;
      /** The harness accepts the reason of the decision and shows it to neither user nor model. */
      readonly losesReason?: boolean;
    }
  | { readonly unsupported: string };

/** The evidence that the claims of an adapter are based on. */
export interface Evidence {
  /** The name of its package. */
  readonly program: string;
  /** Absent for this package itself, and where nothing was run. */
  readonly version?: string;
  /**
   * `observed`: programs of this version were run and behaved as claimed. `documented`: the claims follow the vendor's
   * documentation.
   */
  readonly basis: "observed" | "documented";
}

/** Writes one part of a result as output of a hook. */
export interface Writer {
  readonly support: Extract<SupportState, "native" | "partial">;
  readonly write: (result: LifecycleResult) => WrittenPart;
}

/** Paths into a native input, by neutral name; alternatives are separated by `|`. */
export type FieldPaths = Readonly<Record<string, string>>;

/** One hook of a harness: its name, the event that it is read as, and the outputs that it accepts. */
export interface HookRow {
  /** The name that the harness uses. */
  readonly hook: string;
  readonly aliases?: readonly string[];
  /**
   * The event that an input is read as. Where an input may be one of several events, `choose` decides by its content;
   * null means no event.
   */
  readonly reads:
    | EventName
    | { readonly among: readonly EventName[]; readonly choose: (input: unknown) => EventName | null };
  /** Events that this hook answers although no input is read as them. */
  readonly alsoFor?: readonly EventName[];
  /** How much of the event the harness supports; `native` by default. */
  readonly support?: Extract<SupportState, "native" | "partial">;
  /** The placements of payloads, and the output for context. Absent where the hook accepts no context. */
  readonly context?: {
    readonly placements: Partial<Readonly<Record<Placement, PlacementClaim>>>;
    readonly write: (text: string) => JsonObject;
  };
  readonly writers?: Partial<Readonly<Record<Exclude<ResultPart, "context">, Writer>>>;
  /** The events at which the writers apply; all of them by default. */
  readonly writersAt?: readonly EventName[];
  /** Paths beyond those that all hooks of the harness share. */
  readonly fields?: FieldPaths;
  /**
   * Deviations of the compatible form, to match the original: the hook does not exist (`unsupported_event`), accepts no
   * block (`unsupported_directive`), or writes a context even where it is empty (`always_context`).
   */
  readonly compatible?: "unsupported_event" | "unsupported_directive" | "always_context";
}

/** The description of one harness, as data. */
export interface HarnessAdapter {
  readonly id: AdapterId;
  readonly aliases: readonly string[];
  readonly version: string;
  readonly displayName: string;
  readonly role: AdapterRole;
  readonly modes: readonly IntegrationMode[];
  /** How output reaches the harness: printed by a program, or as a change of an object in the same process. */
  readonly channel: "stdout" | "mutation";
  readonly evidence: Evidence;
  /** The byte limit of the context of one event; beyond it the harness truncates the text or moves it to a file. */
  readonly contextBudget: number;
  /** The paths at which an input names its hook. */
  readonly hookName: readonly string[];
  /** Derives the hook of an input that names none from its members. */
  readonly unnamed?: (input: unknown) => string | undefined;
  readonly identity: {
    readonly session: readonly string[];
    /** An id that lasts as long as a turn. */
    readonly frame: readonly string[];
  };
  /** Absent where nothing is known about renewal; then nothing is claimed. */
  readonly renewal?: AdapterManifest["renewal"];
  /** Paths that the inputs of all hooks share. */
  readonly fields: FieldPaths;
  readonly hooks: readonly HookRow[];
}

export function native(write: (result: LifecycleResult) => WrittenPart): Writer {
  return { support: "native", write };
}

export function partial(write: (result: LifecycleResult) => WrittenPart): Writer {
  return { support: "partial", write };
}

/** For a harness that cannot end the run here: a stop denies the action instead, and the run continues. */
export function stopAsDenial({ write }: Writer): Writer {
  return partial((result) => {
    const reason = reasonOf(result.decision) ?? "a hook wants the run to end";
    return write({ ...result, decision: { kind: "deny", reason } });
  });
}

export function written(body: JsonObject): WrittenPart {
  return { body };
}

export function unsupported(reason: string): WrittenPart {
  return { unsupported: reason };
}

/** Returns a writer of the decision's reason as the given member. */
export function withReason(body: JsonObject, member: string): (result: LifecycleResult) => WrittenPart {
  return (result) => {
    const text = reasonOf(result.decision);
    return written(text === undefined ? body : { ...body, [member]: text });
  };
}

/** Writers that several harnesses share. */
export const BLOCK = native(withReason({ decision: "block" }, "reason"));
export const STOP = native(withReason({ continue: false }, "stopReason"));
export const SYSTEM_MESSAGE: Writer = native(({ user_message = "" }) =>
  written({ systemMessage: user_message }),
);

/** Fields of stop events that Codex and Claude Code share. */
export const STOP_FIELDS: FieldPaths = {
  stop_hook_active: "stop_hook_active",
  last_assistant_message: "last_assistant_message",
};

export function reasonOf(decision: LifecycleDecision | undefined): string | undefined {
  if (decision === undefined || decision.kind === "none") return undefined;
  return decision.kind === "continue_with" ? decision.prompt : decision.reason;
}

/** Writes a text that replaces an output; a value of any other type is unsupported. */
export function textOnly(
  value: JsonValue | undefined,
  what: string,
  write: (text: string) => JsonObject,
): WrittenPart {
  return typeof value === "string" ? written(write(value)) : unsupported(`${what} takes a text only`);
}

/** Writes an object that replaces arguments; a value of any other type is unsupported. */
export function objectOnly(
  value: JsonValue | undefined,
  what: string,
  write: (value: JsonObject) => JsonObject,
): WrittenPart {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? written(write(value as JsonObject))
    : unsupported(`${what} takes an object only`);
}

/** The writers of a hook that apply at one of its events. */
export function writersOf(row: HookRow, event: EventName): NonNullable<HookRow["writers"]> {
  return row.writersAt === undefined || row.writersAt.includes(event) ? (row.writers ?? {}) : {};
}

export function eventsRead({ reads }: HookRow): readonly EventName[] {
  return typeof reads === "string" ? [reads] : reads.among;
}
