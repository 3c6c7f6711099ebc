import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { ContextSections } from "./context-sections.ts";

/**
 * What the model has been told besides the conversation. It is told each thing once, and again when it has
 * changed: the history only ever grows, so that the provider's prompt cache goes on hitting.
 */
export interface ContextLog {
  /** The messages that bring the model from what it knows to `sections`. */
  update(sections: ContextSections): ResponseItem[];
  /** Forgets what was told, because the history that held it is gone. */
  reset(): void;
  /** What was told last; null before the first time. */
  readonly told: ContextSections | null;
}

export function createContextLog(told: ContextSections | null = null): ContextLog {
  return {
    get told() {
      return told;
    },
    update(sections) {
      const messages = [
        toMessage("developer", news(sections.rules, told?.rules)),
        toMessage("user", news(sections.facts, told?.facts)),
      ];
      told = sections;
      return messages.flatMap((message) => message ?? []);
    },
    reset() {
      told = null;
    },
  };
}

type Section = ContextSections["rules"];

function news(sections: Section, told: Section = {}): string[] {
  return Object.entries(sections).flatMap(([name, text]) =>
    text === null || text === told[name] ? [] : [text],
  );
}

function toMessage(role: string, texts: readonly string[]): ResponseItem | null {
  if (texts.length === 0) return null;
  return { type: "message", role, content: texts.map((text) => ({ type: "input_text" as const, text })) };
}
