/**
 * What a hook of Claude Code is told of an event: its names for tools and their input. A patch may change several files,
 * which that harness edits one by one: the hook is asked about each, so that no path escapes a guard.
 */
import { resolve } from "node:path";
import { isObject } from "../../base/json-object.ts";
import type { FileUpdateChange } from "../../protocol/generated/types.ts";
import type { EndedSession, KnownMembers } from "../events/claude-event.ts";
import { hookEventOf } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";
import { structuredPatchOf } from "./structured-patch.ts";

/** One thing that a hook is asked about. */
export interface DialectCall {
  /** What a matcher is about. */
  readonly subjects: readonly string[];
  readonly input: Readonly<Record<string, unknown>>;
  /** It is for hooks that none of the others is for. */
  readonly isOtherwise?: boolean;
}

/** A file that a patch changes, by its absolute path. */
export type ChangedFile =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "update"; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: "delete"; readonly path: string };

/** What is known of a call of a tool beyond what hooks are told. */
export interface CallFacts extends EndedSession {
  readonly aliases: readonly string[];
  /** Of a patch; null where it cannot be read, and of everything else. */
  readonly files: readonly ChangedFile[] | null;
  /** The tool did what it was asked, and that failed, as a command does with an exit code other than 0. */
  readonly hasFailed: boolean;
  /** How long the tool itself has worked; absent where that is not known. */
  readonly durationMs?: number | undefined;
  /** What a patch has done to files. */
  readonly changes?: readonly FileUpdateChange[] | undefined;
}

/** Of one patch; where it changes more, a hook cannot look at each, and one more is enough to tell. */
export const MAX_ASKED_FILES = 64;

/** None where that harness has another event for it. `known` is all that any hook is told. */
export function toClaudeCalls(
  event: HookEventName,
  known: KnownMembers,
  subjects: readonly string[],
  facts: CallFacts,
): readonly DialectCall[] {
  const { claude } = hookEventOf(event);
  // Hooks of events that it does not have are never read from its files.
  if (claude === null) return [];
  const input = { ...toBase(known), ...claude.members(known, facts) };
  switch (claude.tool) {
    case "result":
      return facts.hasFailed ? [] : toToolCalls(known, facts).map((call) => withTool(input, call, facts));
    case "call":
      return toToolCalls(known, facts).map((call) => withTool(input, call));
    default:
      return [{ subjects, input }];
  }
}

/** What every event tells under the same names. */
function toBase(known: KnownMembers): KnownMembers {
  const { turn_id: _turn, model: _model, permission_mode: _mode, effort: _effort, ...others } = known;
  const { tool_name: _name, tool_input: _input, tool_response: _response, ...rest } = others;
  return rest;
}

interface ClaudeTool {
  readonly name: string;
  /** Other names that a matcher may mean it by. */
  readonly others?: readonly string[];
  readonly input: unknown;
  readonly response: unknown;
  readonly isOtherwise?: boolean;
}

/** With what came of it, where it is done. */
function withTool(base: KnownMembers, tool: ClaudeTool, done?: Pick<CallFacts, "durationMs">): DialectCall {
  const { name, others = [], input, response, isOtherwise = false } = tool;
  const told = {
    ...base,
    tool_name: name,
    tool_input: input,
    ...(done !== undefined && { tool_response: response }),
    ...(done?.durationMs !== undefined && { duration_ms: Math.round(done.durationMs) }),
  };
  return { subjects: [name, ...others], input: told, ...(isOtherwise && { isOtherwise }) };
}

function toToolCalls(
  known: KnownMembers,
  { aliases, files, changes = [] }: CallFacts,
): readonly ClaudeTool[] {
  const { tool_name: name, tool_input: input, tool_response: response, cwd } = known;
  const members = isObject(input) ? input : {};
  switch (name) {
    case "Bash":
      return [{ name, input, response: toShellResponse(response) }];
    case "apply_patch": {
      const asked = files?.slice(0, MAX_ASKED_FILES + 1) ?? [];
      const edits = asked.length === 0 ? [toUnreadPatch(input)] : asked.map((file) => toEdit(file, changes));
      if (!aliases.includes("Bash")) return edits;
      return [...edits, { name: "Bash", input, response: toShellResponse(response), isOtherwise: true }];
    }
    case "write_stdin":
      // What is typed into a shell is a command, whoever starts the shell.
      return [
        { name: "Bash", input: { command: members["chars"] ?? "" }, response: toShellResponse(response) },
      ];
    case "view_image":
      return [{ name: "Read", input: { file_path: toPath(cwd, members["path"]) }, response }];
    case "spawn_agent":
      return [{ name: "Agent", input, response }];
    default: {
      const own = String(name);
      // Of a tool of an MCP server the first of the other names is its name there.
      const [claude = own] = own.startsWith("mcp__") ? aliases : [];
      return [{ name: claude, others: [own, ...aliases], input, response }];
    }
  }
}

/** There is one stream here, which holds what the command wrote to either. */
function toShellResponse(response: unknown): unknown {
  const stdout = typeof response === "string" ? response : "";
  return { stdout, stderr: "", interrupted: false, isImage: false, noOutputExpected: false };
}

const EDITING = ["Edit", "Write", "MultiEdit"];

function toEdit(file: ChangedFile, changes: readonly FileUpdateChange[]): ClaudeTool {
  const { path } = file;
  if (file.kind === "add") {
    const content = file.text;
    return editing("Write", {
      input: { file_path: path, content },
      response: {
        type: "create",
        filePath: path,
        content,
        structuredPatch: [],
        originalFile: null,
        userModified: false,
      },
    });
  }
  const { before, after } = file.kind === "update" ? file : { before: "", after: "" };
  const structuredPatch = structuredPatchOf(path, changes);
  return editing("Edit", {
    input: { file_path: path, old_string: before, new_string: after, replace_all: false },
    // The whole of the file as it was is not at hand once the patch is applied.
    response: {
      filePath: path,
      oldString: before,
      newString: after,
      ...(structuredPatch !== null && { structuredPatch }),
      userModified: false,
      replaceAll: false,
    },
  });
}

/** Nothing comes of it but a message to the model; hooks that look at the text still can. */
function toUnreadPatch(input: unknown): ClaudeTool {
  return editing("Edit", { input, response: {} });
}

function editing(name: string, rest: Pick<ClaudeTool, "input" | "response">): ClaudeTool {
  return { name, others: EDITING.filter((other) => other !== name), ...rest };
}

function toPath(cwd: unknown, path: unknown): unknown {
  return typeof cwd === "string" && typeof path === "string" ? resolve(cwd, path) : path;
}
