/** The text of an agent message while it arrives: citations are taken out, and in Plan mode the plan. */
import { createCitationTags } from "./memory-citation.ts";
import { createPlanTags, type PlanPiece } from "./message-tags.ts";

export interface AgentText {
  /** Takes what the message began with. */
  begin(text: string): void;
  push(text: string): void;
  /** Shows what was held back. */
  finish(): void;
}

export interface AgentTextReport {
  /** The message begins, with this text. */
  readonly start: (text: string) => void;
  readonly delta: (text: string) => void;
  /** More of a plan; null when one begins. */
  readonly plan: (text: string | null) => void;
}

export function createAgentText({ start, delta }: Omit<AgentTextReport, "plan">): AgentText {
  const citations = createCitationTags();
  const show = (text: string): void => {
    if (text !== "") delta(text);
  };
  return {
    begin: (text) => start(citations.push(text)),
    push: (text) => show(citations.push(text)),
    finish: () => show(citations.finish()),
  };
}

/** A message that is nothing but a plan never begins. */
export function createPlanModeText({ start, delta, plan }: AgentTextReport): AgentText {
  const citations = createCitationTags();
  const tags = createPlanTags();
  let hasBegun = false;
  /** White space before the first word. */
  let margin = "";

  function show(pieces: readonly PlanPiece[]): void {
    for (const piece of pieces) {
      if (piece.kind === "text") say(piece.text);
      else plan(piece.kind === "planStart" ? null : piece.text);
    }
  }

  function say(text: string): void {
    if (!hasBegun && text.trim() === "") {
      margin += text;
      return;
    }
    if (!hasBegun) start("");
    hasBegun = true;
    delta(margin + text);
    margin = "";
  }

  const push = (text: string): void => show(tags.push(citations.push(text)));
  return {
    begin: push,
    push,
    finish() {
      show(tags.push(citations.finish()));
      show(tags.finish());
    },
  };
}
