import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { CreditsSnapshot, ResponseItem } from "../../protocol/generated/types.ts";
import type { ContextLog } from "../context/context-log.ts";
import type { Emit } from "../events.ts";
import type { RequestOrigin } from "../model-request.ts";
import type { Questions } from "../questions.ts";
import type { ThreadSettings } from "../settings.ts";
import type { TurnSetup } from "../turn-setup.ts";
import type { UsageCounter } from "../usage.ts";
import type { ActiveTurn, Message } from "./active-turn.ts";

/** What the turns of a thread share. */
export interface ThreadCore {
  readonly id: string;
  readonly settings: ThreadSettings;
  /** What the model is told with each request, besides its instructions. */
  readonly history: readonly ResponseItem[];
  readonly context: ContextLog;
  readonly usage: UsageCounter;
  /** What the provider last said about the account. */
  readonly account: { credits: CreditsSnapshot | null };
  readonly questions: Questions;
  readonly emit: Emit;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
  /** What a turn runs with, for the thread's own settings or for others. */
  setup(settings?: ThreadSettings): Promise<TurnSetup>;
  /** What the provider is told about the thread and the turn. */
  origin(turn: ActiveTurn): RequestOrigin;
  /** The one way by which the history grows. */
  record(turn: ActiveTurn, items: readonly ResponseItem[]): void;
  /** Puts a short history in the place of a long one. */
  replaceHistory(items: readonly ResponseItem[]): void;
  /** The user has said something in this turn. */
  heard(turn: ActiveTurn, message: Message): void;
}
