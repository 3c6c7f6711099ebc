/** A program of somebody else whose hooks Heddle speaks with, and what it must do with what Heddle tells them. */
import type { AdapterId, EventName, LifecycleResult } from "../../src/lifecycle/index.ts";
import type { ModelScript, ToolUse } from "./harness-model.ts";
import type { SeenCheck } from "./seen.ts";

export interface Harness {
  readonly adapter: AdapterId;
  /** Its package, with the version that the adapter was held against. */
  readonly program: string;
  readonly version: string;
  /** All packages that are fetched. */
  readonly packages: readonly string[];
  /** The tool that runs a command, and what it is called with. */
  readonly shell: (command: string) => ToolUse;
  /** Makes its home ready to run without a network, and says how it is started. */
  readonly prepare: (place: HarnessPlace) => Promise<HarnessStart>;
  readonly controls: readonly Control[];
}

export interface HarnessPlace {
  /** Where the packages are. */
  readonly folder: string;
  readonly home: string;
  readonly project: string;
  readonly modelUrl: string;
  readonly isAsked: boolean;
}

export interface HarnessStart {
  readonly command: string;
  readonly args: (prompt: string) => readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** One answer of a hook, and what the program was seen to do with it. */
export interface Control {
  readonly name: string;
  /** What the program behind the hooks answers, by event. To go on it says once. */
  readonly says: Partial<Readonly<Record<EventName, LifecycleResult>>>;
  /** Events that are installed without an answer. */
  readonly watches?: readonly EventName[];
  /** What the model does; it has the shell run `COMMAND` unless told. */
  readonly model?: ModelScript;
  /** Nothing is permitted beforehand, so that the program has to ask. */
  readonly isAsked?: boolean;
  readonly checks: readonly SeenCheck[];
}

export interface Seen {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the command that the model wanted has run. */
  readonly hasRun: boolean;
  /** What the model was asked with, as JSON. */
  readonly requests: readonly string[];
  /** The events that the program behind the hooks was told of. */
  readonly events: readonly SeenEvent[];
}

export interface SeenEvent {
  readonly event: EventName;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What the model has the shell do: leaves a file behind, and says something. */
export const COMMAND = "echo hi > ran.txt; cat ran.txt";

/** In what the model calls a tool with, the folder in which the program works. */
export const PROJECT = "<project>";
