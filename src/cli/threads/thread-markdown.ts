/** Renders a thread as Markdown, turn by turn. */
import { inputPreview } from "../../engine/input/user-message.ts";
import type {
  AsyncUserInputQuestion,
  HookRunSummary,
  Thread,
  ThreadItem,
  TokenUsageBreakdown,
  Turn,
} from "../../protocol/generated/types.ts";
import type { StoredDecision, Subject } from "../../store/decisions.ts";
import type { StoredThread } from "../../store/thread-store.ts";
import { describeSubject } from "../approvals/describe-subject.ts";
import { formatDuration } from "../command-line/terminal-text.ts";
import { toWireThread } from "./list-threads.ts";
import type { TurnNotes } from "./turn-notes.ts";

export function storedHeadToMarkdown(stored: StoredThread): string {
  return headToMarkdown(toWireThread(stored), stored.facts.tokenUsage?.total ?? null);
}

export function headToMarkdown(
  { id, name, preview, cwd, createdAt, model }: Thread,
  tokens: TokenUsageBreakdown | null = null,
): string {
  const facts = [
    ["Thread", id],
    ["Folder", cwd],
    ["Begun", toTime(createdAt)],
    ["Model", model],
    ["Tokens", tokens === null ? null : describeTokens(tokens)],
  ].flatMap(([label, value]) => (value == null || value === "" ? [] : [`- ${label}: ${code(value)}`]));
  return `# ${oneLine(name ?? preview) || "A thread"}\n\n${facts.join("\n")}\n`;
}

export function turnToMarkdown(turn: Turn, { tokens, openQuestions }: TurnNotes): string {
  const { id, items, status, error, hookRuns } = turn;
  const parts = items.flatMap((item) => itemToMarkdown(item) ?? []);
  parts.push(...hookRuns.flatMap((run) => hookRunToMarkdown(run) ?? []));
  const open = openQuestions.filter(({ turnId }) => turnId === id);
  parts.push(...open.map(questionToMarkdown));
  if (status === "failed") parts.push(`**Failed:** ${oneLine(error?.message ?? "")}`);
  if (status === "interrupted") parts.push("**Interrupted**");
  const times = timesToMarkdown(turn, tokens.get(id));
  if (times !== null) parts.push(times);
  return parts.map((part) => `\n${part}\n`).join("");
}

/** Null for a completed run without entries. */
function hookRunToMarkdown({ eventName, sourcePath, status, entries, durationMs }: HookRunSummary) {
  if (entries.length === 0 && status === "completed") return null;
  const took = durationMs === null ? "" : `, ${formatDuration(durationMs)}`;
  const texts = entries.map(({ kind, text }) => `\n\n${quote(`${kind}: ${text}`)}`).join("");
  return `Hook ${code(eventName)} of ${code(sourcePath)} (${status}${took})${texts}`;
}

function questionToMarkdown({ atMs, subject }: StoredDecision): string {
  return `**Open question** since ${toTime(atMs / 1000)}: may it ${oneLine(describeQuestion(subject))}?`;
}

function describeQuestion(subject: Subject): string {
  const words = code(describeSubject(subject));
  return subject.kind === "command" ? `run ${words}` : words;
}

function timesToMarkdown({ startedAt, durationMs, status }: Turn, tokens?: TokenUsageBreakdown) {
  if (startedAt === null) return null;
  const took = durationMs === null ? null : formatDuration(durationMs);
  const facts = [toTime(startedAt), status === "inProgress" ? "not ended" : took];
  if (tokens !== undefined) facts.push(describeTokens(tokens));
  return `*${facts.filter((fact) => fact !== null).join(", ")}*`;
}

function describeTokens({ totalTokens, inputTokens, outputTokens }: TokenUsageBreakdown): string {
  const [total, input, output] = [totalTokens, inputTokens, outputTokens].map((count) =>
    count.toLocaleString("en-US"),
  );
  return `${total} tokens (${input} in, ${output} out)`;
}

function toTime(seconds: number): string {
  return new Date(Math.trunc(seconds) * 1000).toISOString().replace(".000Z", "Z");
}

/** Null for items that are not shown. */
function itemToMarkdown(item: ThreadItem): string | null {
  switch (item.type) {
    case "userMessage":
      return `## User\n\n${inputPreview(item.content) ?? ""}`;
    case "hookPrompt":
      return `## Hook\n\n${item.fragments.map(({ text }) => text).join("\n\n")}`;
    case "agentMessage":
      return `## Agent\n\n${[item.text, ...(item.questions ?? []).map(asyncQuestionToMarkdown)].join("\n\n")}`;
    case "plan":
      return `## Plan\n\n${item.text}`;
    case "exitedReviewMode":
      return `## Review\n\n${item.review}`;
    case "reasoning":
      return item.summary.length === 0 ? null : quote(item.summary.join("\n\n"));
    case "contextCompaction":
      return "*The history was compacted.*";
    default:
      return workToMarkdown(item);
  }
}

/** A question of the agent that the turn does not wait for. */
function asyncQuestionToMarkdown({ title, options }: AsyncUserInputQuestion): string {
  const choices = (options ?? []).map((option) => `\n- ${oneLine(option)}`).join("");
  return `**Question:** ${oneLine(title)}${choices === "" ? "" : `\n${choices}`}`;
}

function workToMarkdown(item: ThreadItem): string | null {
  switch (item.type) {
    case "commandExecution":
      return commandToMarkdown(item);
    case "fileChange":
      return item.changes
        .map(
          ({ path, kind, diff }) => `${code(path)} (${kind.type}, ${item.status})\n\n${fence("diff", diff)}`,
        )
        .join("\n\n");
    case "mcpToolCall": {
      const answer = item.error?.message ?? JSON.stringify(item.result?.content ?? null, null, 2);
      const call = fence("json", JSON.stringify(item.arguments ?? null, null, 2));
      return `${code(`${item.server}/${item.tool}`)} (${item.status})\n\n${call}\n\n${fence("", answer)}`;
    }
    case "webSearch":
      return `Searched the web for ${code(item.query)}`;
    case "imageView":
      return `Looked at ${code(item.path)}`;
    default:
      return null;
  }
}

function commandToMarkdown(item: Extract<ThreadItem, { type: "commandExecution" }>): string {
  const { command, aggregatedOutput, exitCode, status } = item;
  const end = exitCode === null || exitCode === 0 ? "" : `\n\nExit code ${exitCode}`;
  const declined = status === "declined" ? "\n\nDeclined" : "";
  return `${fence("console", `$ ${command}\n${aggregatedOutput ?? ""}`)}${end}${declined}`;
}

/** The fence is longer than every run of backticks in the text. */
function fence(language: string, text: string): string {
  const marks = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}${language}\n${text.trimEnd()}\n${marks}`;
}

function code(text: string): string {
  const shown = oneLine(text);
  const marks = "`".repeat(longestRun(shown) + 1);
  return marks.length === 1 ? `\`${shown}\`` : `${marks} ${shown} ${marks}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
