/** A hook as one configuration source declares it, with the facts that decide whether it runs. */
import type { JsonObject } from "../base/json-object.ts";
import type { HookSource, HookTrustStatus } from "../protocol/generated/types.ts";
import type { HookEventName } from "./hook-event.ts";

export interface ConfiguredHook {
  /**
   * `<source path>:<event_in_snake_case>:<group>:<handler>`; trust and enablement are stored under this key.
   */
  readonly key: string;
  readonly event: HookEventName;
  /** The matcher text as written; null without a matcher or where the event has no subject. */
  readonly matcher: string | null;
  /** Whether the matcher accepts one of the subjects; always true for an event without a subject. */
  readonly matches: (subjects: readonly string[]) => boolean;
  /** The `if` condition on a tool call, for dialects that have one; absent without a condition. */
  readonly condition?: HookCondition;
  readonly handler: HookHandler;
  /** Variables added to the environment of the hook's process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly isAsync: boolean;
  /** Shown to the user while the hook runs. */
  readonly statusMessage: string | null;
  /** In tokens; 0 disables the limit. Null where the event adds no context or the file sets no limit. */
  readonly additionalContextLimit: number | null;
  /** The dialect of the file that declares the hook. */
  readonly dialect: HookDialect;
  /** `closed`: a failed run blocks, as an explicit block does. */
  readonly onFailure: "open" | "closed";
  /** Whether a denial also ends the turn, as prompt hooks do in Claude Code. Defaults to false. */
  readonly endsTurn?: boolean;
  /** Whether exit code 2 of the asynchronous hook wakes the thread, as `asyncRewake` does in Claude Code. */
  readonly wakes?: true;
  readonly source: HookSource;
  readonly sourcePath: string;
  /** Index among all hooks of the thread. */
  readonly displayOrder: number;
  readonly enabled: boolean;
  readonly isManaged: boolean;
  readonly currentHash: string;
  readonly trustStatus: HookTrustStatus;
  /** Whether the hook runs whatever its trust status, because the thread was started with trust bypassed. */
  readonly isTrustBypassed?: boolean;
  /** Why a trusted hook does not run; absent where it runs. */
  readonly refusal?: HookRefusal;
}

export interface HookRefusal {
  /**
   * `changed`: the content differs from what was trusted. `unpinnable`: the command text does not determine
   * which files run, in a directory that sandboxed commands can write.
   */
  readonly kind: "changed" | "unpinnable";
  /** Shown to the user; includes the command that resolves it. */
  readonly message: string;
}

/** Takes the tool's names and its input, in the form that the hook receives. */
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
  /** The variant for this platform. */
  readonly command: string;
  /** Present where the command is a program that runs with these arguments and without a shell. */
  readonly args?: readonly string[];
  /** Runs in the thread's sandbox instead of with the user's own rights. */
  readonly isSandboxed: boolean;
}

/** The hooks that the configuration of a working folder declares. */
export interface HookSet {
  /** In display order, including hooks that do not run. */
  readonly hooks: readonly ConfiguredHook[];
  /** Problems found while parsing, for the user. */
  readonly warnings: readonly string[];
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}
