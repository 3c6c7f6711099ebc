/** What an application wants the model to know beside the user's words. */
import type { AdditionalContextEntry, ResponseItem } from "../../protocol/generated/types.ts";
import { truncateMiddle } from "../../tools/exec/truncate-text.ts";

export type AdditionalContext = Readonly<Record<string, AdditionalContextEntry>>;

/** How much of one value the model is told. */
const MAX_TOKENS = 1000;

/** The message for an `invalid request` error; null when nothing is wrong. */
export function contextFault(context: AdditionalContext): string | null {
  for (const { kind, name } of Object.values(context)) {
    if (name === undefined || name === null) continue;
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(name)) {
      return "additional context name must match [a-z][a-z0-9_]{0,63}";
    }
    if (kind !== "untrusted") return "additional context name is only supported for untrusted context";
  }
  return null;
}

/** The messages for what is new since the input before; they come before the user's words. */
export function toContextMessages(context: AdditionalContext, before: AdditionalContext): ResponseItem[] {
  return Object.entries(context)
    .filter(([key, entry]) => !isSame(entry, Object.hasOwn(before, key) ? before[key] : undefined))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => toMessage(key, entry));
}

function toMessage(key: string, { kind, value }: AdditionalContextEntry): ResponseItem {
  const isTrusted = kind === "application";
  const tag = isTrusted ? key : `external_${key}`;
  const text = `<${tag}>${truncateMiddle(value, { unit: "tokens", limit: MAX_TOKENS })}</${tag}>`;
  return {
    type: "message",
    role: isTrusted ? "developer" : "user",
    content: [{ type: "input_text", text }],
  };
}

function isSame(a: AdditionalContextEntry, b: AdditionalContextEntry | undefined): boolean {
  return b !== undefined && a.kind === b.kind && a.value === b.value && (a.name ?? null) === (b.name ?? null);
}
