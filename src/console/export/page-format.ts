/** The pieces of a page of a thread. They are written one after the other, so that a long thread is never held as a whole. */
import type {
  Decision,
  Thread,
  TokenUsageBreakdown,
  Turn,
  TurnPlanStep,
} from "../../protocol/generated/types.ts";

export interface PageTurn {
  readonly turn: Turn;
  /** The last plan of the turn. */
  readonly plan: readonly TurnPlanStep[];
  readonly tokens: TokenUsageBreakdown | null;
  /** The open questions and the decisions of the turn, oldest first. */
  readonly decisions: readonly Decision[];
}

export interface ThreadPage {
  head(thread: Thread, tokens: TokenUsageBreakdown | null): string;
  turn(turn: PageTurn): string;
  end(): string;
}

export interface PageStyle {
  readonly css: string;
  /** The SHA-256 of it in base64, by which the policy of the page allows this style alone. */
  readonly sha256: string;
}

/** The exports of the bundle of `thread-page.tsx`. */
export interface ThreadPageModule {
  createThreadPage(style: PageStyle): ThreadPage;
}
