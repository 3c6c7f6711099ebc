import type { CommandValue, ToolResult } from "../tool.ts";
import { type OutputBudget, resultText } from "./result-text.ts";
import type { CollectedOutput, Terminal } from "./terminal.ts";
import { tokensOf } from "./truncate-text.ts";

interface Telling {
  readonly terminal: Terminal;
  readonly collected: CollectedOutput;
  readonly wallMs: number;
  readonly budget: OutputBudget;
  readonly random: () => number;
}

/** The result of a call that started a command or looked at one. */
export function tellModel({ terminal, collected, wallMs, budget, random }: Telling): ToolResult {
  const { exitCode, options } = terminal;
  const report = {
    chunkId: chunkId(random),
    wallMs,
    exitCode,
    sessionId: exitCode === null ? options.processId : null,
    originalTokens: tokensOf(collected.totalBytes),
    output: collected.text,
    omittedBytes: collected.omittedBytes,
  };
  const value: CommandValue = {
    kind: "command",
    callId: options.itemId,
    command: options.script,
    output: collected.text,
    exitCode,
    durationMs: wallMs,
  };
  return { output: resultText(report, budget), success: true, value };
}

function chunkId(random: () => number): string {
  return Array.from({ length: 6 }, () => Math.floor(random() * 16).toString(16)).join("");
}
