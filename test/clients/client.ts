/** A third-party client and its checks. */
import type { Child } from "../support/child.ts";
import type { ModelConfig } from "../support/model-config.ts";
import type { ModelReply, ScriptedModel } from "../support/scripted-model.ts";
import type { TempHome } from "../support/temp-home.ts";

export interface Client {
  readonly name: string;
  readonly version: string;
  readonly source: Source;
  /** Required system programs. */
  readonly needs: readonly string[];
  readonly checks: readonly Check[];
}

/** The source of a client. Packages are named with their exact versions. */
export type Source =
  /** Fetched by npm; `entry` is a module that exports what the checks use. */
  | { readonly kind: "npm"; readonly packages: readonly string[]; readonly entry: string }
  /** Fetched by pip one by one, without dependencies that are not needed. */
  | { readonly kind: "pip"; readonly packages: readonly string[] }
  /** The terminal client of the peer, which is fetched for conformance tests. */
  | { readonly kind: "peer" };

export type Side = "heddle" | "peer";

export interface Check {
  readonly name: string;
  /** The model's replies, one for each request; the last one repeats. */
  readonly replies?: readonly ModelReply[];
  readonly config?: ModelConfig;
  /** Why the check cannot pass on the peer, if that is known. */
  readonly heddleOnly?: string;
  /** Rejects with a one-sentence message if the check fails. */
  readonly run: (harness: ClientHarness) => Promise<void>;
}

/** The harness of one check: a home, a workspace, a model and a program of its own. */
export interface ClientHarness {
  readonly side: Side;
  /** The executable that clients are configured to start. */
  readonly executable: string;
  readonly home: TempHome;
  /** The environment of started programs. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: ScriptedModel;
  /** The executable of the peer; empty if no client needs it. */
  readonly peer: string;
  /** The folder that the client was fetched into. */
  readonly folder: string;
  /** Starts a program that is stopped after the check. */
  start(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Child;
  /** Adds a task that runs after the check. */
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
