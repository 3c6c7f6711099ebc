import type { ResponseItem, ThreadItem, UserInput } from "../protocol/generated/types.ts";

/** What the user said, as an item of the thread. */
export function toUserItem(id: string, clientId: string | null, input: readonly UserInput[], atMs: number) {
  const content = input.map((part) =>
    part.type === "text" ? { ...part, text_elements: part.text_elements ?? [] } : part,
  );
  return {
    type: "userMessage",
    id,
    clientId,
    content,
    startedAtMs: atMs,
    completedAtMs: null,
  } satisfies ThreadItem;
}

/** What the user said, as the model is told. */
export function toModelMessage(input: readonly UserInput[]): ResponseItem {
  return {
    type: "message",
    role: "user",
    content: input.flatMap((part) =>
      part.type === "text" ? [{ type: "input_text" as const, text: part.text }] : [],
    ),
  };
}

/** The text of an input, as lists of threads show it. */
export function previewOf(input: readonly UserInput[]): string {
  return input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
