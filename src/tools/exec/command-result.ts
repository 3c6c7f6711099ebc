/** Formats the result of a command for the model: wall time, status, and output within the token budget. */

import {
  byteBudget,
  estimateTokens,
  reduceBudget,
  type Truncation,
  truncateMiddle,
  truncateWithHeading,
  truncationWarning,
} from "../../base/truncate-text.ts";
import { omissionMarker } from "../../process/output-buffer.ts";
import type { CommandValue, ToolResult } from "../tool.ts";
import type { CollectedOutput, Terminal } from "./terminal.ts";

interface CommandSnapshot {
  readonly terminal: Terminal;
  readonly collected: CollectedOutput;
  readonly wallMs: number;
  readonly budget: OutputBudget;
  readonly random: () => number;
}

/** The result of a call that started a command or polled one. */
export function commandResult({ terminal, collected, wallMs, budget, random }: CommandSnapshot): ToolResult {
  const { exitCode, options } = terminal;
  const report = {
    chunkId: chunkId(random),
    wallMs,
    exitCode,
    sessionId: exitCode === null ? options.processId : null,
    originalTokens: estimateTokens(collected.totalBytes),
    output: collected.text,
    omittedBytes: collected.omittedBytes,
  };
  const value: CommandValue = {
    kind: "command",
    callId: options.item.id,
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

export const DEFAULT_OUTPUT_TOKENS = 10_000;
/**
 * The history allows a response this factor over the model's budget, so that it is not truncated a second
 * time.
 */
const HISTORY_ROOM = 1.2;

export interface CommandReport {
  readonly chunkId: string;
  readonly wallMs: number;
  readonly exitCode: number | null;
  /** The session id of a command that is still running. */
  readonly sessionId: number | null;
  readonly originalTokens: number;
  readonly output: string;
  /** Bytes omitted from `output`, with a marker in their place. */
  readonly omittedBytes: number;
}

export interface OutputBudget {
  /** The limit requested by the model. */
  readonly maxTokens: number | null;
  /** The limit of the model's provider. */
  readonly truncation: Truncation;
}

export function resultText(report: CommandReport, { maxTokens, truncation }: OutputBudget): string {
  const header = headerOf(report);
  const asked: Truncation = { unit: "tokens", limit: maxTokens ?? DEFAULT_OUTPUT_TOKENS };
  let policy = byteBudget(asked) < byteBudget(truncation) ? asked : truncation;
  const allowed = { unit: truncation.unit, limit: Math.ceil(truncation.limit * HISTORY_ROOM) };
  const room = Math.max(0, byteBudget(allowed) - Buffer.byteLength(header) - 1);
  let output = shorten(report, policy);
  while (Buffer.byteLength(output) > room && byteBudget(policy) > 0) {
    policy = reduceBudget(policy, Buffer.byteLength(output) - room);
    output = shorten(report, policy);
  }
  return `${header}\n${output}`;
}

function headerOf({ chunkId, wallMs, exitCode, sessionId, originalTokens }: CommandReport): string {
  return [
    `Chunk ID: ${chunkId}`,
    `Wall time: ${(wallMs / 1000).toFixed(4)} seconds`,
    ...(exitCode === null ? [] : [`Process exited with code ${exitCode}`]),
    ...(sessionId === null ? [] : [`Process running with session ID ${sessionId}`]),
    `Original token count: ${originalTokens}`,
    "Output:",
  ].join("\n");
}

function shorten({ output, omittedBytes, originalTokens }: CommandReport, policy: Truncation): string {
  if (omittedBytes === 0) return truncateWithHeading(output, policy);
  if (Buffer.byteLength(output) <= byteBudget(policy)) return output;
  const marker = omissionMarker(omittedBytes);
  const truncated = truncateMiddle(output, policy);
  const notice = truncated.includes(marker) ? "" : `${marker}\n`;
  return `${truncationWarning(originalTokens)}\n${notice}\n${truncated}`;
}
