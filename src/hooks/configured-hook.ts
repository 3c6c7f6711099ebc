/** A hook as a source of configuration gives it, with what decides whether it runs. */
import type { HookSource, HookTrustStatus } from "../protocol/generated/types.ts";
import type { HookEventName } from "./hook-event.ts";

export interface ConfiguredHook {
  /** `<source path>:<event_in_snake_case>:<group>:<handler>`; trust and switches are kept under it. */
  readonly key: string;
  readonly event: HookEventName;
  /** As written; null where there is none or the event has no subject. */
  readonly matcher: string | null;
  /** Whether it is about one of these; always for an event without a subject. */
  readonly matches: (subjects: readonly string[]) => boolean;
  /** Whether it is about this call of a tool, where its file says more than the matcher can; absent where it does not. */
  readonly condition?: HookCondition;
  readonly handler: HookHandler;
  /** What its program finds in the environment beside what is there. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly isAsync: boolean;
  /** Shown while it runs. */
  readonly statusMessage: string | null;
  /** In tokens; 0 for none. Null where the event adds no context or nothing is said. */
  readonly additionalContextLimit: number | null;
  /** Whose words the file speaks. */
  readonly dialect: HookDialect;
  /** What a run that fails does: nothing, or what a block does. */
  readonly onFailure: "open" | "closed";
  /** Whether its no ends the turn as well, as that of a question to a model does in Claude Code; it does not unless told. */
  readonly endsTurn?: boolean;
  readonly source: HookSource;
  readonly sourcePath: string;
  /** Its place among all hooks of the thread. */
  readonly displayOrder: number;
  readonly enabled: boolean;
  readonly isManaged: boolean;
  readonly currentHash: string;
  readonly trustStatus: HookTrustStatus;
  /** Whether it runs whatever its trust is, because the thread was started so. */
  readonly isTrustBypassed?: boolean;
  /** Why it does not run although it is trusted; absent where it does. */
  readonly refusal?: HookRefusal;
}

export interface HookRefusal {
  /** What it runs is not what was trusted, or its text does not tell what it runs where confined commands can write. */
  readonly kind: "changed" | "unpinnable";
  /** For the user, with what to do about it. */
  readonly message: string;
}

/** Of the names of the tool and what it is called with, as the hook is told them. */
export type HookCondition = (subjects: readonly string[], toolInput: unknown) => boolean;

export type HookDialect = "codex" | "claude";

export type HookHandler =
  | CommandHandler
  | { readonly type: "mcp_tool"; readonly server: string; readonly tool: string; readonly input: JsonObject }
  | { readonly type: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: "prompt"; readonly prompt: string; readonly model: string | null }
  | { readonly type: "module"; readonly path: string };

export interface CommandHandler {
  readonly type: "command";
  /** For this platform. */
  readonly command: string;
  /** The command is a program, which is run with these and without a shell; absent where it is text for a shell. */
  readonly args?: readonly string[];
  /** Within the thread's sandbox, in place of the user's own rights. */
  readonly isSandboxed: boolean;
}

export type JsonObject = { readonly [key: string]: unknown };

/** What the configuration of a place says about hooks. */
export interface HookSet {
  /** All of them, in display order, also those that do not run. */
  readonly hooks: readonly ConfiguredHook[];
  /** About what was read; for the user. */
  readonly warnings: readonly string[];
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}
