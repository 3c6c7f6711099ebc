/** Filters the streamed text of an agent message: citations are removed, and in Plan mode the plan. */
import { createCitationTags } from "./memory-citation.ts";
import { createPlanTags, type PlanPiece } from "./message-tags.ts";

export interface AgentText {
  /** Takes the text that the message started with. */
  begin(text: string): void;
  push(text: string): void;
  /** Flushes the text that was held back. */
  finish(): void;
}

export interface AgentTextReport {
  /** Called once, with the first text of the message. */
  readonly start: (text: string) => void;
  readonly delta: (text: string) => void;
  /** Called with each delta of a plan; null when a plan begins. */
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

/** The item of a message that contains only a plan is never started. */
export function createPlanModeText({ start, delta, plan }: AgentTextReport): AgentText {
  const citations = createCitationTags();
  const tags = createPlanTags();
  let hasBegun = false;
  /** White space before the first word. */
  let margin = "";

  function show(pieces: readonly PlanPiece[]): void {
    for (const piece of pieces) {
      if (piece.kind === "text") showText(piece.text);
      else plan(piece.kind === "planStart" ? null : piece.text);
    }
  }

  function showText(text: string): void {
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
