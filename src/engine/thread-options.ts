import type {
  GitInfo,
  ResponseItem,
  SessionSource,
  ThreadHistoryMode,
  ThreadItem,
  ThreadStatus,
  ThreadTokenUsage,
  Thread as ThreadView,
  Turn,
} from "../protocol/generated/types.ts";
import type { Journal } from "../store/journal.ts";
import type { Ask } from "../tools/tool.ts";
import type { RecalledHistory } from "./history/thread-history.ts";
import type { Accepted } from "./state/accepted.ts";
import type { Emit } from "./state/events.ts";
import type { SettingsChange, ThreadSettings } from "./state/settings.ts";
import type { SpawnedAgent } from "./state/spawned-agent.ts";
import type { ReadState } from "./state/thread-status.ts";
import type { TurnKind } from "./state/turn-state.ts";
import type { Message } from "./turn/submission.ts";
import type { ThreadCoreOptions } from "./turn/thread-core.ts";
import type { AcceptOptions } from "./turn/turn.ts";
import type { TurnSetup } from "./turn/turn-setup.ts";
import type { ShellCommand, TurnRequest } from "./turn/turn-work.ts";

/** A loaded conversation. It has one turn at a time and is the only writer of its history. */
export interface Thread {
  readonly id: string;
  readonly settings: ThreadSettings;
  /** The settings of the turn that runs, or of the next one: a running turn keeps those that it began with. */
  readonly turnSettings: ThreadSettings;
  /** Null for a thread of a user. */
  readonly agent: SpawnedAgent | null;
  /** What its client wants otherwise than it is configured, by the keys of the configuration. */
  readonly configOverrides: Readonly<Record<string, unknown>>;
  readonly readState: ReadState;
  readonly instructionSources: readonly string[];
  /** What the user should know of how it is configured. */
  readonly warnings: readonly string[];
  /** The id under which the running turn is steered and interrupted. */
  readonly activeTurnId: string | null;
  readonly activeKind: TurnKind | null;
  /** The turn that runs, as clients see it. */
  activeTurn(): Turn | null;
  /** What of it has begun and not ended. */
  openItems(): ThreadItem[];
  status(): ThreadStatus;
  view(): ThreadView;
  /** What the thread has used so far; null before its first response. */
  usage(): ThreadTokenUsage | null;
  /** The turn that it used something in last; null where that is not known. */
  readonly usageTurnId: string | null;
  /** Changes the settings of later turns. `begin` notifies clients where anything has changed. */
  changeSettings(change: SettingsChange): Promise<Accepted<null>>;
  /** Lets them outlive the session also where no turn has been. Throws in words for the client where it cannot. */
  keepSettings(): Promise<void>;
  /** Accepts a turn. A compaction and a review end the turn that runs. */
  accept(request: TurnRequest, options?: AcceptOptions): Promise<Accepted<Turn>>;
  /** Accepts a command of the user: it runs in the turn that runs, or in one of its own. */
  acceptShellCommand(command: ShellCommand): Promise<Accepted<null>>;
  /** Adds to what the model knows, without a turn. */
  inject(items: readonly ResponseItem[]): Promise<void>;
  /** Adds a message to the running turn. With `begin` the turn reads it, and the answer under way is dropped. */
  steer(message: Message): Promise<Accepted<null>>;
  /** Ends the running turn, if there is one. `begin` publishes its end. */
  interrupt(): Promise<Accepted<null>>;
  /** Resolves when no turn runs. */
  whenIdle(): Promise<void>;
  /** Lets go of its file, once what waits is written. */
  close(): Promise<void>;
  /** Asks the thread's clients, also when no turn runs. */
  readonly ask: Ask;
}

export interface ThreadOptions extends ThreadCoreOptions, Pick<Thread, "configOverrides"> {
  readonly settings: ThreadSettings;
  /** What turns run with under these settings. */
  readonly setup: (settings: ThreadSettings) => Promise<TurnSetup>;
  readonly warnings: readonly string[];
  readonly originator: string;
  readonly source: SessionSource;
  readonly git: GitInfo | null;
  /** The kind of its file. */
  readonly historyMode: ThreadHistoryMode;
  readonly ephemeral: boolean;
  /** Where its history is kept; null for an ephemeral thread. */
  readonly journal: Journal | null;
  /** What it knew when it was last loaded; null for a new thread. */
  readonly resumed: ResumedThread | null;
  /** Called when another process has taken the thread over. */
  readonly onTakenOver: () => void;
  readonly emit: Emit;
  /** A random id, whose order says nothing. */
  readonly createRevision: () => string;
}

/** A stored thread that goes on. */
export interface ResumedThread {
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly preview: string;
  readonly usage: ThreadTokenUsage | null;
  readonly usageTurnId: string | null;
  /** Whether its file has the settings that it goes on with. */
  readonly keepsSettings: boolean;
  /** Reads what its model knew; the first turn waits for it. */
  readonly recall: () => Promise<RecalledHistory>;
}
