/** The tool `write_stdin`: types into a running command, or polls its output. */
import { count, decodeArguments, integer, maybe, struct, text } from "../arguments/decode-arguments.ts";
import {
  describeFunctionCall,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from "../tool.ts";
import { commandResult } from "./command-result.ts";
import type { ExecParts } from "./exec-command.ts";
import { writeStdinSpec } from "./exec-command-spec.ts";
import { MAX_YIELD_MS, MIN_YIELD_MS } from "./exec-request.ts";
import type { Terminal } from "./terminal.ts";

const MIN_POLL_MS = 5_000;
/** Time for the program to react, before the requested wait begins. */
const REACTION_MS = 100;
const INTERRUPT = "\u0003";

const ARGUMENTS = struct("WriteStdinArgs", {
  session_id: integer,
  chars: maybe(text),
  yield_time_ms: maybe(count),
  max_output_tokens: maybe(count),
});

export function createWriteStdin(parts: ExecParts): Tool {
  return {
    name: "write_stdin",
    spec: writeStdinSpec,
    parallel: true,
    describeCall: (call) => describeFunctionCall(call, "commandInput"),
    run: (call, context) => writeStdin(parts, call, context),
  };
}

async function writeStdin(parts: ExecParts, call: ToolCall, context: ToolContext): Promise<ToolResult> {
  const decoded = decodeArguments(call.input, ARGUMENTS);
  if (decoded.kind === "wrong") return refuseCall(decoded.message);
  const { session_id, chars, yield_time_ms, max_output_tokens } = decoded.value;
  const request = {
    chars: chars ?? "",
    yieldMs: yield_time_ms ?? MIN_YIELD_MS,
    maxTokens: max_output_tokens,
  };
  const terminal = parts.terminals.find(context.threadId, session_id);
  const unknown = `write_stdin failed: Unknown process id ${session_id}`;
  if (terminal === undefined) return refuseCall(unknown);
  return terminal.interact(async () =>
    // The previous call may already have seen the exit.
    parts.terminals.find(context.threadId, session_id) === terminal
      ? interact(parts, terminal, request, context)
      : refuseCall(unknown),
  );
}

interface Interaction {
  readonly chars: string;
  readonly yieldMs: number;
  readonly maxTokens: number | null;
}

async function interact(
  { deps, terminals }: ExecParts,
  terminal: Terminal,
  { chars, yieldMs, maxTokens }: Interaction,
  context: ToolContext,
): Promise<ToolResult> {
  const { tty, item, processId } = terminal.options;
  const settings = deps.settingsOf(context.threadId);
  terminal.lastUsed = deps.clock.monotonic();
  if (chars !== "" && tty) {
    terminal.write(chars);
    await new Promise<void>((resolve) => void deps.clock.after(REACTION_MS, resolve));
  } else if (chars === INTERRUPT) terminal.signal("SIGINT");
  else if (chars !== "") {
    return refuseCall(
      "write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open",
    );
  }
  const startedAt = deps.clock.monotonic();
  const waitMs = waitOf(chars, yieldMs, settings.maxPollMs);
  const collected = await terminal.collect(waitMs, context.signal);
  const wallMs = deps.clock.monotonic() - startedAt;
  if (terminal.exitCode !== null) terminals.remove(terminal);
  if (chars !== "" || terminal.exitCode === null) {
    context.items.terminalInteraction(item.id, String(processId), chars);
  }
  const budget = { maxTokens, truncation: settings.truncation };
  return commandResult({ terminal, collected, wallMs, budget, random: deps.random });
}

function waitOf(chars: string, yieldMs: number, maxPollMs: number): number {
  const atLeast = Math.max(MIN_YIELD_MS, yieldMs);
  if (chars !== "") return Math.min(MAX_YIELD_MS, atLeast);
  return Math.min(Math.max(MIN_POLL_MS, maxPollMs), Math.max(MIN_POLL_MS, atLeast));
}
