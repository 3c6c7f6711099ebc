/** Parses the command line of `heddle exec`. */
import type { ReviewTarget, SandboxMode } from "../../protocol/generated/types.ts";
import { type ParsedArguments, UsageError } from "../command-line/command.ts";
import { type GlobalSettings, readGlobalSettings } from "../command-line/options.ts";
import type { Color } from "./exec-options.ts";
import { DEFAULT_NETWORK_TIMEOUT_SECONDS } from "./network-timeout.ts";

export interface ExecCall {
  readonly settings: GlobalSettings & {
    readonly ignoresUserConfig: boolean;
    readonly ignoresRules: boolean;
  };
  readonly task: ExecTask;
  /** Null if absent; `-` to read it from stdin. */
  readonly prompt: string | null;
  readonly images: readonly string[];
  readonly model: string | null;
  /** Provider of a local model (`--oss`); an empty name selects the configured one. */
  readonly localProvider: string | null;
  readonly sandbox: SandboxMode | null;
  /** Unresolved path; null for the working directory of the process. */
  readonly folder: string | null;
  readonly writableFolders: readonly string[];
  readonly isAnywhere: boolean;
  readonly isEphemeral: boolean;
  readonly threadSource: string;
  readonly trustsHooks: boolean;
  readonly schemaFile: string | null;
  readonly lastMessageFile: string | null;
  readonly isJson: boolean;
  readonly color: Color;
  readonly networkTimeoutSeconds: number;
}

export type ExecTask =
  | { readonly kind: "start" }
  | { readonly kind: "resume"; readonly choice: ThreadChoice }
  | { readonly kind: "fork"; readonly thread: string }
  /** Without a target the prompt describes what to review. */
  | { readonly kind: "review"; readonly target: ReviewTarget | null };

/** The thread to resume: by id or name, or the newest one. */
export interface ThreadChoice {
  readonly thread: string | null;
  readonly isLast: boolean;
  /** Includes threads of other folders. */
  readonly isAnyFolder: boolean;
}

/** Options are accepted before and after a subcommand; the last value wins. */
export function readExecCall(
  kind: ExecTask["kind"],
  args: ParsedArguments,
  chain: readonly ParsedArguments[],
): ExecCall {
  const has = (name: string) => chain.some((each) => each.flag(name));
  const all = (name: string) => chain.flatMap((each) => each.values(name));
  const last = (name: string) => all(name).at(-1) ?? null;
  const isUnconfined = has("dangerously-bypass-approvals-and-sandbox");
  return {
    settings: {
      ...readGlobalSettings(...chain),
      ignoresUserConfig: has("ignore-user-config"),
      ignoresRules: has("ignore-rules"),
    },
    ...readTask(kind, args, chain.at(-2)?.operands[0] ?? null),
    images: all("image").flatMap((files) => files.split(",")),
    model: last("model"),
    localProvider: has("oss") ? (last("local-provider") ?? "") : null,
    // The choices of the option are exactly these modes.
    sandbox: isUnconfined
      ? "danger-full-access"
      : ((last("sandbox") as SandboxMode | null) ?? (has("full-auto") ? "workspace-write" : null)),
    folder: last("cd"),
    writableFolders: all("add-dir"),
    isAnywhere: has("skip-git-repo-check") || isUnconfined,
    isEphemeral: has("ephemeral"),
    threadSource: last("thread-source") ?? "user",
    trustsHooks: has("dangerously-bypass-hook-trust"),
    schemaFile: last("output-schema"),
    lastMessageFile: last("output-last-message"),
    isJson: has("json"),
    color: (last("color") as Color | null) ?? "auto",
    networkTimeoutSeconds: Number(last("network-timeout") ?? DEFAULT_NETWORK_TIMEOUT_SECONDS),
  };
}

/** The prompt may also precede the subcommand. */
function readTask(
  kind: ExecTask["kind"],
  args: ParsedArguments,
  outer: string | null,
): Pick<ExecCall, "task" | "prompt"> {
  const [first = null, second = outer] = args.operands;
  switch (kind) {
    case "start":
      return { task: { kind }, prompt: first };
    case "fork":
      return { task: { kind, thread: first ?? "" }, prompt: second };
    case "review":
      return { task: { kind, target: readTarget(args) }, prompt: first };
    case "resume": {
      const isLast = args.flag("last");
      const choice = { isLast, isAnyFolder: args.flag("all") };
      // With `--last` a single operand is the prompt, because the thread is already chosen.
      return isLast && args.operands.length === 1
        ? { task: { kind, choice: { ...choice, thread: null } }, prompt: first }
        : { task: { kind, choice: { ...choice, thread: first } }, prompt: second };
    }
  }
}

/** Null if the prompt describes what to review. */
function readTarget(args: ParsedArguments): ReviewTarget | null {
  const [branch, sha, title = null] = ["base", "commit", "title"].map((name) => args.value(name));
  const selectors = [
    args.flag("uncommitted") ? "--uncommitted" : null,
    branch === undefined ? null : "--base <BRANCH>",
    sha === undefined ? null : "--commit <SHA>",
    args.operands.length === 0 ? null : "[PROMPT]",
  ].filter((selector) => selector !== null);
  if (selectors.length > 1)
    throw new UsageError(`the argument '${selectors[0]}' cannot be used with '${selectors[1]}'`);
  if (title !== null && sha === undefined)
    throw new UsageError("the following required arguments were not provided: --commit <SHA>");
  if (branch !== undefined) return { type: "baseBranch", branch };
  if (sha !== undefined) return { type: "commit", sha, title };
  return args.flag("uncommitted") ? { type: "uncommittedChanges" } : null;
}
