import type {
  GitInfo,
  ResponseItem,
  SessionSource,
  ThreadHistoryMode,
  ThreadItem,
  ThreadStatus,
  ThreadTokenUsage,
  Thread as ThreadView,
  ThreadWaiting,
  Turn,
} from "../protocol/generated/types.ts";
import type { EventToken } from "../store/event-token.ts";
import type { Journal } from "../store/journal.ts";
import type { Ask } from "../tools/tool.ts";
import type { EventFollowers } from "./history/durable-events.ts";
import type { OpenNotice } from "./history/open-items.ts";
import type { RestoredHistory } from "./history/thread-history.ts";
import type { EndEffects } from "./history/turn-records.ts";
import type { Answered, OpenDecision } from "./permissions/questions.ts";
import type { Accepted } from "./state/accepted.ts";
import type { Emit } from "./state/events.ts";
import type { SettingsChange, ThreadSettings } from "./state/settings.ts";
import type { SpawnedAgent } from "./state/spawned-agent.ts";
import type { ReadState } from "./state/thread-status.ts";
import type { TurnKind } from "./state/turn-state.ts";
import type { UserMessage } from "./turn/submission.ts";
import type { SuspendedTurn } from "./turn/suspended-turn.ts";
import type { ThreadCoreOptions } from "./turn/thread-core.ts";
import type { AcceptOptions } from "./turn/turn.ts";
import type { TurnSetup } from "./turn/turn-setup.ts";
import type { ShellCommand, TurnRequest } from "./turn/turn-work.ts";

/** A loaded thread. It runs one turn at a time and is the only writer of its history. */
export interface Thread {
  readonly id: string;
  readonly settings: ThreadSettings;
  /** The settings of the running turn, which are fixed when it is accepted, or else those of the next one. */
  readonly turnSettings: ThreadSettings;
  /** Null for a thread that a user started. */
  readonly agent: SpawnedAgent | null;
  /** The client's configuration overrides, by configuration key. */
  readonly configOverrides: Readonly<Record<string, unknown>>;
  readonly readState: ReadState;
  readonly instructionSources: readonly string[];
  /** Configuration warnings for the user. */
  readonly warnings: readonly string[];
  /** The id under which the running turn is steered and interrupted. */
  readonly activeTurnId: string | null;
  readonly activeKind: TurnKind | null;
  /** The place after its last durable event; null for a thread whose history has no positions. */
  eventsEnd(): EventToken | null;
  /** The wire view of the running turn. */
  activeTurn(): Turn | null;
  /** Items of the running turn that have started and not completed. */
  openItems(): ThreadItem[];
  /** The notifications that show these items, and what was streamed of them so far. */
  openNotices(): readonly OpenNotice[];
  status(): ThreadStatus;
  view(): ThreadView;
  /** The question that the running turn waits for; null unless it outlives the process. */
  waiting(): ThreadWaiting | null;
  /** The token usage so far; null before the first response. */
  usage(): ThreadTokenUsage | null;
  /** The turn of the last recorded usage; null where it is unknown. */
  readonly usageTurnId: string | null;
  /** Changes the settings of later turns. `begin` notifies clients of a change. */
  changeSettings(change: SettingsChange): Promise<Accepted<null>>;
  /** Writes the settings to the journal of a thread that has had no turn. Throws an error fit for the client. */
  persistSettings(): Promise<void>;
  /** Writes every line of the history to the journal; a failed write fails the turn that it belongs to. */
  flush(): Promise<void>;
  /** Accepts a turn. A compaction or a review interrupts the running turn. */
  accept(request: TurnRequest, options?: AcceptOptions): Promise<Accepted<Turn>>;
  /** Accepts a shell command of the user, which runs in the running turn or else in a turn of its own. */
  acceptShellCommand(command: ShellCommand): Promise<Accepted<null>>;
  /** Adds items to the history without starting a turn. */
  inject(items: readonly ResponseItem[]): Promise<void>;
  /** Adds a message to the running turn. `begin` delivers it and may abort the response being streamed. */
  steer(message: UserMessage): Promise<Accepted<null>>;
  /** Continues the turn that an earlier process has left waiting; does nothing where there is none. */
  continueTurn(): void;
  /** Answers an open question by the number of its decision; false where it is not open here. */
  answer(decision: number, answered: Answered<unknown>): boolean;
  /** The recorded questions that are open with clients, oldest first. */
  openDecisions(): readonly OpenDecision[];
  /** Whether the running turn waits for an answer, so that a later process can continue it. */
  readonly isWaiting: boolean;
  /** Whether nothing else of the running turn would be cut off. */
  readonly isOnlyWaiting: boolean;
  /** Leaves the running turn to a later process. The thread can only be closed then. */
  suspend(): Promise<void>;
  /** Interrupts the running turn, if there is one. `begin` publishes its end. */
  interrupt(): Promise<Accepted<null>>;
  /** Resolves when no turn runs. */
  whenIdle(): Promise<void>;
  /** Runs the SessionEnd hooks, flushes pending lines and closes the journal. */
  close(): Promise<void>;
  /** Sends a request to the thread's clients; needs no running turn. */
  readonly ask: Ask;
}

export interface ThreadOptions extends ThreadCoreOptions, Pick<Thread, "configOverrides"> {
  readonly settings: ThreadSettings;
  /** Creates the setup of turns for given settings. */
  readonly setup: (settings: ThreadSettings) => Promise<TurnSetup>;
  readonly warnings: readonly string[];
  readonly originator: string;
  readonly source: SessionSource;
  /** The subject of the token of who created it; null without one. */
  readonly owner: string | null;
  readonly git: GitInfo | null;
  /** The format of its rollout file. */
  readonly historyMode: ThreadHistoryMode;
  readonly ephemeral: boolean;
  /** Null for an ephemeral thread. */
  readonly journal: Journal | null;
  /** The stored state; null for a new thread. */
  readonly resumed: ResumedThread | null;
  /** By default the ends of turns have none. */
  readonly endEffects?: EndEffects | undefined;
  /** Called when another process has acquired the thread's lease. */
  readonly onTakenOver: () => void;
  readonly emit: Emit;
  readonly followers: EventFollowers;
  /** Returns a random id that carries no order. */
  readonly createRevision: () => string;
}

/** The stored state that a resumed thread continues from. */
export interface ResumedThread {
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly preview: string;
  readonly usage: ThreadTokenUsage | null;
  readonly usageTurnId: string | null;
  /** Whether its rollout file already holds the current settings. */
  readonly hasCurrentSettings: boolean;
  /** The turn that an earlier process has left waiting for an answer. */
  readonly suspended?: SuspendedTurn | null;
  /** Reads the model history; the first turn awaits it. */
  readonly recall: () => Promise<RestoredHistory>;
}
