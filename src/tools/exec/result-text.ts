/** What the model is told of a command: how long it took, whether it goes on, and its output within the budget. */
import { omissionMarker } from "../../process/head-tail.ts";
import {
  byteBudget,
  reduced,
  type Truncation,
  truncateMiddle,
  truncateWithHeading,
  truncationWarning,
} from "./truncate-text.ts";

export const DEFAULT_OUTPUT_TOKENS = 10_000;
/** History leaves a response this much room over the model's budget; it must not be cut a second time there. */
const HISTORY_ROOM = 1.2;

export interface CommandReport {
  readonly chunkId: string;
  readonly wallMs: number;
  readonly exitCode: number | null;
  /** The number under which the command goes on. */
  readonly sessionId: number | null;
  readonly originalTokens: number;
  readonly output: string;
  /** Bytes that were left out of `output`, with a marker in their place. */
  readonly omittedBytes: number;
}

export interface OutputBudget {
  /** What the model asked for. */
  readonly maxTokens: number | null;
  /** What the model's provider allows. */
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
    policy = reduced(policy, Buffer.byteLength(output) - room);
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
