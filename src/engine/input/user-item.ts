/** What the user said, as clients see it. */
import type { ThreadItem, UserInput } from "../../protocol/generated/types.ts";

export function toUserItem(
  id: string,
  clientId: string | null,
  input: readonly UserInput[],
  atMs: number,
): Extract<ThreadItem, { type: "userMessage" }> {
  return {
    type: "userMessage",
    id,
    clientId,
    content: input.map(withAllMembers),
    startedAtMs: atMs,
    completedAtMs: null,
  };
}

/** Members that a client may leave out are always there in what it is told. */
function withAllMembers(part: UserInput): UserInput {
  if (part.type === "text") return { ...part, text_elements: part.text_elements ?? [] };
  if (part.type === "image" || part.type === "localImage") return { ...part, detail: part.detail ?? null };
  return part;
}

/** The input in one line, as lists of threads show it; null when it has nothing to show. */
export function previewOf(input: readonly UserInput[]): string | null {
  const text = input
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("")
    .trim();
  if (text !== "") return text;
  if (input.some(({ type }) => type === "image" || type === "localImage")) return "[Image]";
  return input.some(({ type }) => type === "audio" || type === "localAudio") ? "[Audio]" : null;
}
