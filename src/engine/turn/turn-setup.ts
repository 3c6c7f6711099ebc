import type { Awaitable } from "../../base/awaitable.ts";
import type { ModelInfo } from "../../model/catalog/model-info.ts";
import type { Model } from "../../model/model.ts";
import type { MentionableSkill } from "../../skills/mentioned-skills.ts";
import type { UserShellCommand, UserShellOutcome } from "../../tools/exec/user-shell.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ModelContext } from "../context/context-sections.ts";
import type { ReminderSettings } from "../context/time-reminder.ts";
import type { DecisionLog } from "../permissions/decision-log.ts";
import type { PermissionPolicy } from "../permissions/permission-policy.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { WaitLog } from "./limit-wait.ts";
import type { ModelFallback } from "./model-route.ts";
import type { FindMergeBase } from "./review-text.ts";

export interface AnsweredTurn {
  readonly threadId: string;
  readonly turnId: string;
  readonly cwd: string;
  /** The user texts of the turn. */
  readonly prompts: readonly string[];
  readonly answer: string | null;
}

export interface TimeSettings {
  /** The time is read from the client instead of the server's clock. */
  readonly isFromClient: boolean;
  /** The environment context contains the date. */
  readonly isInContext: boolean;
  /** Null without time reminders. */
  readonly reminder: ReminderSettings | null;
}

/** The dependencies of a turn. They are derived from the thread's settings, and created anew when these change. */
export interface TurnSetup {
  readonly model: Model;
  /** Called at each use, because the provider may report another context window. */
  readonly info: () => ModelInfo;
  /** In the order in which they are tried. */
  readonly fallbacks: readonly ModelFallback[];
  /** Called before each request, because the set of tools may change. */
  readonly tools: () => Promise<readonly Tool[]>;
  /** Request entries for tools that the provider itself runs. */
  readonly hostedTools: readonly unknown[];
  readonly permissionPolicy: PermissionPolicy;
  /** Records every decision before it takes effect. */
  readonly decisions: DecisionLog;
  /** Whether questions outlive the process, so that a later one continues the turn with the answer. */
  readonly keepsQuestions: boolean;
  /** Null where turns do not outlive the process, so that they fail at a usage limit. */
  readonly waits: WaitLog | null;
  /** The timeout of questions to the user. */
  readonly answerTimeoutMs: number;
  /** Paths in the diff of a turn are relative to it. */
  readonly diffRoot: () => string;
  /** Reads the environment context at a given time. */
  readonly context: (nowMs: number) => Promise<ModelContext>;
  readonly time: TimeSettings;
  /** The skills that the user may mention. */
  readonly listSkills: () => Promise<readonly MentionableSkill[]>;
  /** The paths of the instruction files. */
  readonly instructionSources: readonly string[];
  /** Warnings that the user receives before the first turn. */
  readonly warnings: readonly string[];
  /** How often in a row Stop hooks may continue a turn. */
  readonly maxContinuations: number;
  /** Replaces the default compaction prompt. */
  readonly compactPrompt: string | null;
  /** Whether steering aborts the response being streamed. */
  readonly abortsOnSteer: boolean;
  /** Called after each completed user turn; null where no notify program is configured. */
  readonly notify: ((turn: AnsweredTurn) => void) | null;
  readonly review: { readonly model: string | null; readonly findMergeBase: FindMergeBase };
  readonly runUserShell: (command: UserShellCommand) => Promise<UserShellOutcome>;
}

/** Caches the turn setup of the latest settings. */
export interface TurnSetups {
  of(settings: ThreadSettings): Awaitable<TurnSetup>;
  /** The setup that was created last. */
  latest(): TurnSetup;
}

export interface TurnSetupsOptions {
  readonly settings: ThreadSettings;
  /** The setup for these settings, created by the caller. */
  readonly firstSetup: TurnSetup;
  readonly setup: (settings: ThreadSettings) => Promise<TurnSetup>;
}

export function createTurnSetups({ settings, firstSetup, setup }: TurnSetupsOptions): TurnSetups {
  let latest = firstSetup;
  let cached: { readonly settings: ThreadSettings; created: Awaitable<TurnSetup> } = {
    settings,
    created: firstSetup,
  };

  return {
    latest: () => latest,
    of(requested) {
      if (requested === cached.settings) return cached.created;
      const previous = cached;
      const creating = setup(requested);
      const next = { settings: requested, created: creating as Awaitable<TurnSetup> };
      cached = next;
      return creating.then(
        (created) => {
          latest = created;
          next.created = created;
          return created;
        },
        (error: unknown) => {
          // A failed setup is evicted, so that the next turn retries it.
          if (cached === next) cached = previous;
          throw error;
        },
      );
    },
  };
}
