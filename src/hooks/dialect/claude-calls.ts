/**
 * Converts an event into the calls that a Claude Code hook receives, with that harness's tool names and
 * input. A patch may change several files, which Claude Code edits one by one: the hook is called for each,
 * so that no path escapes a guard.
 */
import { resolve } from "node:path";
import { isObject } from "../../base/json-object.ts";
import type { FileUpdateChange } from "../../protocol/generated/types.ts";
import type { EndedSession, EventMembers } from "../events/claude-event.ts";
import { hookEventOf } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";

/** One call of a hook. */
export interface DialectCall {
  /** The subjects that a matcher tests. */
  readonly subjects: readonly string[];
  readonly input: Readonly<Record<string, unknown>>;
  /** A fallback, for hooks that match none of the other calls. */
  readonly isFallback?: boolean;
}

/** A file that a patch changes, by its absolute path. */
export type ChangedFile =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "update"; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: "delete"; readonly path: string };

/** Facts about a tool call that are not part of the hook input. */
export interface CallFacts extends EndedSession {
  readonly aliases: readonly string[];
  /** The files of a patch; null where it cannot be parsed, and for other tools. */
  readonly files: readonly ChangedFile[] | null;
  /** The tool ran and its operation failed, such as a command with a non-zero exit code. */
  readonly hasFailed: boolean;
  /** The tool's own duration; absent where unknown. */
  readonly durationMs?: number | undefined;
  /** The changes that a patch made. */
  readonly changes?: readonly FileUpdateChange[] | undefined;
}

/**
 * Per patch. A larger patch is refused, because a hook cannot be called for each file; one file more than the
 * limit suffices to detect it.
 */
export const MAX_PATCH_FILES = 64;

/** Empty where Claude Code has another event for it. `available` holds all input members. */
export function toClaudeCalls(
  event: HookEventName,
  available: EventMembers,
  subjects: readonly string[],
  facts: CallFacts,
): readonly DialectCall[] {
  const { claude } = hookEventOf(event);
  // Hooks of events that Claude Code lacks are never parsed from its files.
  if (claude === null) return [];
  const input = { ...toBase(available), ...claude.members(available, facts) };
  switch (claude.tool) {
    case "result":
      return facts.hasFailed ? [] : toToolCalls(available, facts).map((call) => withTool(input, call, facts));
    case "call":
      return toToolCalls(available, facts).map((call) => withTool(input, call));
    default:
      return [{ subjects, input }];
  }
}

/** The members that have the same names in both dialects. */
function toBase(available: EventMembers): EventMembers {
  const { turn_id: _turn, model: _model, permission_mode: _mode, effort: _effort, ...others } = available;
  const { tool_name: _name, tool_input: _input, tool_response: _response, ...rest } = others;
  return rest;
}

interface ClaudeTool {
  readonly name: string;
  /** Alternative names that a matcher accepts. */
  readonly others?: readonly string[];
  readonly input: unknown;
  readonly response: unknown;
  readonly isFallback?: boolean;
}

/** `done` adds the result of a finished call. */
function withTool(base: EventMembers, tool: ClaudeTool, done?: Pick<CallFacts, "durationMs">): DialectCall {
  const { name, others = [], input, response, isFallback = false } = tool;
  const hookInput = {
    ...base,
    tool_name: name,
    tool_input: input,
    ...(done !== undefined && { tool_response: response }),
    ...(done?.durationMs !== undefined && { duration_ms: Math.round(done.durationMs) }),
  };
  return { subjects: [name, ...others], input: hookInput, ...(isFallback && { isFallback }) };
}

function toToolCalls(
  available: EventMembers,
  { aliases, files, changes = [] }: CallFacts,
): readonly ClaudeTool[] {
  const { tool_name: name, tool_input: input, tool_response: response, cwd } = available;
  const members = isObject(input) ? input : {};
  switch (name) {
    case "Bash":
      return [{ name, input, response: toShellResponse(response) }];
    case "apply_patch": {
      const listed = files?.slice(0, MAX_PATCH_FILES + 1) ?? [];
      const edits =
        listed.length === 0 ? [toUnreadPatch(input)] : listed.map((file) => toEdit(file, changes));
      if (!aliases.includes("Bash")) return edits;
      return [...edits, { name: "Bash", input, response: toShellResponse(response), isFallback: true }];
    }
    case "write_stdin":
      // Text typed into a shell is a command, whatever process started the shell.
      return [
        { name: "Bash", input: { command: members["chars"] ?? "" }, response: toShellResponse(response) },
      ];
    case "view_image":
      return [{ name: "Read", input: { file_path: toPath(cwd, members["path"]) }, response }];
    case "spawn_agent":
      return [{ name: "Agent", input, response }];
    default: {
      const own = String(name);
      // The first alias of an MCP tool is its Claude Code name.
      const [claude = own] = own.startsWith("mcp__") ? aliases : [];
      return [{ name: claude, others: [own, ...aliases], input, response }];
    }
  }
}

/** stdout and stderr are one stream here. */
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
    // The original file content is no longer available after the patch.
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

/** A patch that does not parse only produces an error for the model; hooks can still inspect its text. */
function toUnreadPatch(input: unknown): ClaudeTool {
  return editing("Edit", { input, response: {} });
}

function editing(name: string, rest: Pick<ClaudeTool, "input" | "response">): ClaudeTool {
  return { name, others: EDITING.filter((other) => other !== name), ...rest };
}

function toPath(cwd: unknown, path: unknown): unknown {
  return typeof cwd === "string" && typeof path === "string" ? resolve(cwd, path) : path;
}

/** A hunk of a unified diff in the format of Claude Code. */
interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** With their leading signs. */
  readonly lines: readonly string[];
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u;
const SIGNS = " +-\\";

/** The hunks of an updated file; null where its diff is unknown. */
function structuredPatchOf(path: string, changes: readonly FileUpdateChange[]): readonly PatchHunk[] | null {
  const change = changes.find(
    ({ path: own, kind }) => kind.type === "update" && (own === path || kind.move_path === path),
  );
  return change === undefined ? null : parseHunks(change.diff);
}

/** Text outside of hunks is dropped. */
function parseHunks(diff: string): readonly PatchHunk[] {
  const hunks: (PatchHunk & { readonly lines: string[] })[] = [];
  let isWithin = false;
  for (const line of diff.split("\n")) {
    const header = HEADER.exec(line);
    if (header !== null) {
      const [oldStart = 0, oldLines = 1, newStart = 0, newLines = 1] = header
        .slice(1)
        .map((digits?: string) => (digits === undefined ? undefined : Number(digits)));
      hunks.push({ oldStart, oldLines, newStart, newLines, lines: [] });
      isWithin = true;
      continue;
    }
    isWithin &&= line !== "" && SIGNS.includes(line.charAt(0));
    if (isWithin) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}
