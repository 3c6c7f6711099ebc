import { truncateMiddle } from "../../base/truncate-text.ts";
import type { AdditionalContextEntry, ResponseItem } from "../../protocol/generated/types.ts";
import { newMessageId } from "../items/response-items.ts";
import type { ContextSections } from "./context-sections.ts";
import { describeEnvironment } from "./environment-context.ts";
import { modePreset } from "./instructions.ts";

/**
 * What the model has been told besides the conversation. It is told each thing once, and again when it has
 * changed: the history only ever grows, so that the provider's prompt cache goes on hitting.
 */
export interface ContextLog {
  /** The messages that bring the model from what it knows to `sections`. */
  update(sections: ContextSections): ResponseItem[];
  /** The same for what a client adds to a turn. */
  add(context: AdditionalContext): ResponseItem[];
  /** Forgets what was told, because the history that held it is gone. */
  reset(): void;
  /** The history that was recalled has told this already. */
  restore(told: ContextSections | null): void;
  /** What was told last; null before the first time. */
  readonly told: ContextSections | null;
}

export function createContextLog(createId: () => string): ContextLog {
  let added: AdditionalContext = {};
  let told: ContextSections | null = null;

  function toMessage(role: string, texts: readonly string[]): ResponseItem[] {
    if (texts.length === 0) return [];
    const content = texts.map((text) => ({ type: "input_text" as const, text }));
    return [{ type: "message", id: newMessageId(createId), role, content }];
  }

  return {
    get told() {
      return told;
    },
    update(sections) {
      const before = told;
      told = sections;
      const environment =
        sections.environment === null
          ? null
          : describeEnvironment(sections.environment, before?.environment ?? null);
      const docs = sections.docs === (before?.docs ?? null) ? null : sections.docs;
      return [
        ...toMessage("developer", [...modelNews(sections, before), ...ruleNews(sections, before)]),
        ...toMessage(
          "user",
          [docs, environment].filter((text) => text !== null),
        ),
      ];
    },
    add(context) {
      const messages = toContextMessages(context, added);
      added = context;
      return messages;
    },
    restore(known) {
      told = known;
    },
    reset() {
      told = null;
      added = {};
    },
  };
}

function modelNews({ model }: ContextSections, before: ContextSections | null): string[] {
  if (before === null || before.model === model) return [];
  return [
    `<model_switch>\nThe conversation so far was held by another model; from here on you are ${model}. Go on with it in your own way, by the instructions at its beginning.\n</model_switch>`,
  ];
}

function ruleNews({ rules }: ContextSections, before: ContextSections | null): string[] {
  return Object.entries(rules).flatMap(([name, text]) => {
    const known = before?.rules[name] ?? null;
    if (text === known) return [];
    return text ?? (name === "mode" ? [DEFAULT_MODE] : []);
  });
}

/** The mode before has ended. */
const DEFAULT_MODE = `<collaboration_mode>${modePreset("default")}</collaboration_mode>`;

/** What an application wants the model to know beside the user's message. */
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

/** The messages for what is new since the input before; they come before the user's message. */
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
