/** A client that somebody else wrote, and what is checked of it. */
import type { Child } from "../support/child.ts";
import type { ModelConfig } from "../support/model-config.ts";
import type { ModelReply, ScriptedModel } from "../support/scripted-model.ts";
import type { TempHome } from "../support/temp-home.ts";

export interface Client {
  readonly name: string;
  readonly version: string;
  readonly source: Source;
  /** Programs of the system without which it cannot run. */
  readonly needs: readonly string[];
  readonly checks: readonly Check[];
}

/** Where a client comes from. Packages are named with their exact versions. */
export type Source =
  /** Fetched by npm; `entry` is a module that exports what the checks use of them. */
  | { readonly kind: "npm"; readonly packages: readonly string[]; readonly entry: string }
  /** Fetched by pip, each for itself, without what it depends on and does not need. */
  | { readonly kind: "pip"; readonly packages: readonly string[] }
  /** The terminal client of the peer, which is fetched for conformance. */
  | { readonly kind: "peer" };

export type Side = "heddle" | "peer";

export interface Check {
  readonly name: string;
  /** What the model answers, one reply for each request; the last one repeats. */
  readonly replies?: readonly ModelReply[];
  readonly config?: ModelConfig;
  /** Why it cannot hold on the peer, where that is known. */
  readonly heddleOnly?: string;
  /** Rejects, in one sentence, when it does not hold. */
  readonly run: (harness: ClientHarness) => Promise<void>;
}

/** The place in which one check is made: a home, a workspace, a model and a program, all its own. */
export interface ClientHarness {
  readonly side: Side;
  /** The one file that clients are told to start. */
  readonly executable: string;
  readonly home: TempHome;
  /** The environment of whatever is started here. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: ScriptedModel;
  /** The executable of the peer; empty where no client needs it. */
  readonly peer: string;
  /** The folder that the client was fetched into. */
  readonly folder: string;
  /** Starts a program that ends with the check. */
  start(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Child;
  /** Adds what is done at the end of the check. */
  onEnd(task: () => unknown): void;
}

export type Outcome =
  | { readonly kind: "ok"; readonly milliseconds: number }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "skipped"; readonly reason: string };

export interface Result {
  readonly client: string;
  readonly check: string;
  readonly side: Side;
  readonly outcome: Outcome;
}
