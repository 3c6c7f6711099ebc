// Messages and shell commands of the user, as model history and as items.
import { joinWords } from "../../../base/shlex.ts";
import type { ThreadItem, UserInput } from "../../../protocol/generated/types.ts";
import type { OutputPart } from "./content-block.ts";

export function userMessage(parts: readonly OutputPart[]): { readonly type: "message" } {
  const content = parts.map((part) =>
    part.type === "text"
      ? { type: "input_text", text: part.text }
      : { type: "input_image", image_url: part.url },
  );
  const message = { type: "message", role: "user", content } as const;
  return message;
}

export function assistantMessage(text: string): { readonly type: "message" } {
  const message = { type: "message", role: "assistant", content: [{ type: "output_text", text }] } as const;
  return message;
}

export function userItem(id: string, parts: readonly OutputPart[]): ThreadItem {
  return { type: "userMessage", id, clientId: null, content: parts.map(toInput) };
}

function toInput(part: OutputPart): UserInput {
  return part.type === "text"
    ? { type: "text", text: part.text, text_elements: [] }
    : { type: "image", url: part.url };
}

export function agentItem(id: string, text: string): ThreadItem {
  const absent = { phase: null, memoryCitation: null, delivery: null, questions: null };
  return { type: "agentMessage", id, text, ...absent };
}

/** A command that the user ran directly. Its exit code is not recorded. */
export interface ImportedShellCommand {
  readonly command: string;
  readonly cwd: string;
  readonly output: string;
}

export function shellMessage({ command, output }: ImportedShellCommand): { readonly type: "message" } {
  const result = `<result>\nOutput:\n${output}\n</result>`;
  const text = `<user_shell_command>\n<command>\n${command}\n</command>\n${result}\n</user_shell_command>`;
  return userMessage([{ type: "text", text }]);
}

export function shellItem(id: string, { command, cwd, output }: ImportedShellCommand): ThreadItem {
  return {
    type: "commandExecution",
    id,
    pluginId: null,
    scriptPath: null,
    command: joinWords(["bash", "-lc", command]),
    cwd,
    processId: null,
    source: "userShell",
    status: "completed",
    commandActions: [{ type: "unknown", command }],
    aggregatedOutput: output || null,
    exitCode: null,
    durationMs: null,
  };
}
