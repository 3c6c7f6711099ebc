import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { CreditsSnapshot } from "../../protocol/generated/types.ts";
import type { TimeReminder } from "../context/time-reminder.ts";
import type { ThreadHistory } from "../history/thread-history.ts";
import type { Questions } from "../permissions/questions.ts";
import type { Emit } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { RequestOrigin } from "./model-request.ts";
import type { Message } from "./submission.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** What the turns of a thread share. */
export interface ThreadCore {
  readonly id: string;
  readonly settings: ThreadSettings;
  readonly history: ThreadHistory;
  readonly reminder: TimeReminder;
  /** What the provider last said about the account. */
  readonly account: { credits: CreditsSnapshot | null };
  readonly questions: Questions;
  /** Notifies clients, and appends to the journal what is shown as finished. */
  readonly emit: Emit;
  /** The same for what is in the journal already. */
  readonly notify: Emit;
  /** Whoever makes many notices waits for this before it makes more; null where there is nothing to wait for. */
  readonly pace: () => Promise<void> | null;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
  /** What a turn runs with, for the thread's own settings or for others. */
  setup(settings?: ThreadSettings): Promise<TurnSetup>;
  /** What the provider is told about the thread and the turn. */
  origin(turn: ActiveTurn): RequestOrigin;
  /** A message of the user has entered the history in this turn. */
  onPrompt(turn: ActiveTurn, message: Message): void;
}
