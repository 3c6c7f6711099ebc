import type { ModelInfo } from "../../model/catalog/model-info.ts";
import type { Model } from "../../model/model.ts";
import type { MentionableSkill } from "../../skills/mentioned-skills.ts";
import type { UserCommand, UserCommandOutcome } from "../../tools/exec/user-shell.ts";
import type { Tool } from "../../tools/tool.ts";
import type { PlaceContext } from "../context/context-sections.ts";
import type { ReminderSettings } from "../context/time-reminder.ts";
import type { DecisionLog } from "../permissions/decision-log.ts";
import type { PermissionPolicy } from "../permissions/permission-policy.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { FindMergeBase } from "./review-text.ts";

export interface AnsweredTurn {
  readonly threadId: string;
  readonly turnId: string;
  readonly cwd: string;
  /** What the user has said in it. */
  readonly prompts: readonly string[];
  readonly answer: string | null;
}

export interface TimeSettings {
  /** The client says what time it is, and not the machine. */
  readonly isFromClient: boolean;
  /** What the model is to know of the place names the day. */
  readonly isInContext: boolean;
  /** Null where the model is not reminded of the time. */
  readonly reminder: ReminderSettings | null;
}

/** What a turn runs with. It follows from the thread's settings, and is made anew when they change. */
export interface TurnSetup {
  readonly model: Model;
  /** Read anew where it is needed: the window is what the provider has said by then. */
  readonly info: ModelInfo;
  /** Asked for anew before each request, because some tools come and go. */
  readonly tools: () => Promise<readonly Tool[]>;
  /** Entries for tools that the provider itself runs. */
  readonly hostedTools: readonly unknown[];
  readonly permissionPolicy: PermissionPolicy;
  /** Where every decision is recorded before it takes effect. */
  readonly decisions: DecisionLog;
  /** How long an answer of the user is awaited. */
  readonly answerTimeoutMs: number;
  /** Names in the diff of a turn are relative to it. */
  readonly diffRoot: string;
  /** What the model is to know of the place it works in, at a time. */
  readonly context: (nowMs: number) => Promise<PlaceContext>;
  readonly time: TimeSettings;
  /** The skills that the user may ask for. */
  readonly listSkills: () => Promise<readonly MentionableSkill[]>;
  /** The files that part of it comes from. */
  readonly instructionSources: readonly string[];
  /** What the user should know before the first turn. */
  readonly warnings: readonly string[];
  /** How often in a row hooks may make a turn go on that would end. */
  readonly maxContinuations: number;
  /** In place of the usual request for a summary. */
  readonly compactPrompt: string | null;
  /** Whether new input of the user cuts off what the model is saying. */
  readonly steersAtOnce: boolean;
  /** Notified of each turn that was answered; null where nobody wants to know. */
  readonly notify: ((turn: AnsweredTurn) => void) | null;
  readonly review: { readonly model: string | null; readonly findMergeBase: FindMergeBase };
  readonly runUserShell: (command: UserCommand) => Promise<UserCommandOutcome>;
}

/** What turns run with under given settings; made anew only when these have changed. */
export interface TurnSetups {
  of(settings: ThreadSettings): Promise<TurnSetup>;
  /** The one that was made last. */
  readonly latest: TurnSetup;
}

export interface TurnSetupsOptions {
  readonly settings: ThreadSettings;
  /** The setup for these settings, which the caller has made already. */
  readonly firstSetup: TurnSetup;
  readonly setup: (settings: ThreadSettings) => Promise<TurnSetup>;
}

export function createTurnSetups({ settings, firstSetup, setup }: TurnSetupsOptions): TurnSetups {
  let latest = firstSetup;
  let last = { settings, made: Promise.resolve(firstSetup) };

  async function make(wanted: ThreadSettings): Promise<TurnSetup> {
    latest = await setup(wanted);
    return latest;
  }

  return {
    get latest() {
      return latest;
    },
    of(wanted) {
      if (wanted === last.settings) return last.made;
      const before = last;
      const next = { settings: wanted, made: make(wanted) };
      last = next;
      // What could not be made is tried again by the next turn.
      next.made.catch(() => {
        if (last === next) last = before;
      });
      return next.made;
    },
  };
}
