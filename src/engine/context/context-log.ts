import { truncateMiddle } from "../../base/truncate-text.ts";
import type { AdditionalContextEntry, ResponseItem } from "../../protocol/generated/types.ts";
import { newMessageId } from "../items/response-items.ts";
import type { ContextSections } from "./context-sections.ts";
import { describeEnvironment } from "./environment-context.ts";
import { modePreset } from "./instructions.ts";

/**
 * Tracks the context messages that are in the model's history. A section is sent once, and again only after it has
 * changed: messages are appended and never rewritten, so that the provider's prompt cache keeps hitting.
 */
export class ContextLog {
  readonly #createId: () => string;
  #added: AdditionalContext = {};
  #sent: ContextSections | null = null;

  constructor(createId: () => string) {
    this.#createId = createId;
  }

  /** The sections that were sent last; null before the first update and after a reset. */
  get sent(): ContextSections | null {
    return this.#sent;
  }

  /** Returns the messages for the sections that differ from those sent before. */
  update(sections: ContextSections): ResponseItem[] {
    const before = this.#sent;
    this.#sent = sections;
    const environment =
      sections.environment === null
        ? null
        : describeEnvironment(sections.environment, before?.environment ?? null);
    const docs = sections.docs === (before?.docs ?? null) ? null : sections.docs;
    return [
      ...this.#toMessage("developer", [...modelChange(sections, before), ...ruleChanges(sections, before)]),
      ...this.#toMessage(
        "user",
        [docs, environment].filter((text) => text !== null),
      ),
    ];
  }

  /** Returns the messages for the client's additional context that is new since the last call. */
  add(context: AdditionalContext): ResponseItem[] {
    const messages = toContextMessages(context, this.#added);
    this.#added = context;
    return messages;
  }

  /** Sets the sections that a restored history already contains. */
  restore(sections: ContextSections | null): void {
    this.#sent = sections;
  }

  /** Clears the log after the history that held the messages was replaced. */
  reset(): void {
    this.#sent = null;
    this.#added = {};
  }

  #toMessage(role: string, texts: readonly string[]): ResponseItem[] {
    if (texts.length === 0) return [];
    const content = texts.map((text) => ({ type: "input_text" as const, text }));
    return [{ type: "message", id: newMessageId(this.#createId), role, content }];
  }
}

function modelChange({ model }: ContextSections, before: ContextSections | null): string[] {
  if (before === null || before.model === model) return [];
  return [
    `<model_switch>\nThe conversation so far was held by another model; from here on you are ${model}. Go on with it in your own way, by the instructions at its beginning.\n</model_switch>`,
  ];
}

function ruleChanges({ rules }: ContextSections, before: ContextSections | null): string[] {
  return Object.entries(rules).flatMap(([name, text]) => {
    const known = before?.rules[name] ?? null;
    if (text === known) return [];
    return text ?? (name === "mode" ? [DEFAULT_MODE] : []);
  });
}

/** Sent when another mode ends. */
const DEFAULT_MODE = `<collaboration_mode>${modePreset("default")}</collaboration_mode>`;

/** Context that an application adds to the user's message, by key. */
export type AdditionalContext = Readonly<Record<string, AdditionalContextEntry>>;

/** The limit of one value; longer ones are truncated in the middle. */
const MAX_TOKENS = 1000;

/** Returns the message for an `invalid request` error, or null where the context is valid. */
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

/** Returns messages for the entries that are new or changed since the input before; they precede the user's message. */
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
