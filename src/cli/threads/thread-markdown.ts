/** A thread as Markdown: what was said and done, turn by turn. */
import { previewOf } from "../../engine/input/user-message.ts";
import type { Thread, ThreadItem, Turn } from "../../protocol/generated/types.ts";

export function headToMarkdown({ id, name, preview, cwd, createdAt, model }: Thread): string {
  const facts = [
    ["Thread", id],
    ["Folder", cwd],
    ["Begun", new Date(createdAt * 1000).toISOString()],
    ["Model", model],
  ].flatMap(([label, value]) => (value == null || value === "" ? [] : [`- ${label}: ${code(value)}`]));
  return `# ${oneLine(name ?? preview) || "A thread"}\n\n${facts.join("\n")}\n`;
}

export function turnToMarkdown({ items, status, error }: Turn): string {
  const parts = items.flatMap((item) => itemToMarkdown(item) ?? []);
  if (status === "failed") parts.push(`**Failed:** ${oneLine(error?.message ?? "")}`);
  if (status === "interrupted") parts.push("**Interrupted**");
  return parts.map((part) => `\n${part}\n`).join("");
}

/** Null for what need not be read. */
function itemToMarkdown(item: ThreadItem): string | null {
  switch (item.type) {
    case "userMessage":
      return `## User\n\n${previewOf(item.content) ?? ""}`;
    case "hookPrompt":
      return `## Hook\n\n${item.fragments.map(({ text }) => text).join("\n\n")}`;
    case "agentMessage":
      return `## Agent\n\n${item.text}`;
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

/** A fence is longer than all that the text has at the beginnings of its lines. */
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
