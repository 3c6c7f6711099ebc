/** What the tools of this folder are given by those who assemble them. */
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { Truncation } from "../../base/truncate-text.ts";
import type { ProcessHost } from "../../process/process-host.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import type { PatchPorts } from "../apply-patch/run-patch.ts";
import type { GrantedPermissions } from "../permissions/permission-grants.ts";
import type { EnvironmentPolicy, OwnPrograms } from "./command-environment.ts";
import type { ShellSearch } from "./shell.ts";

/** What a thread's configuration says about its commands. */
export interface ExecSettings {
  readonly environmentPolicy: EnvironmentPolicy;
  readonly allowLoginShell: boolean;
  /** How much output the thread's model takes. */
  readonly truncation: Truncation;
  /** The session that the thread belongs to. */
  readonly sessionId: string;
  /** What the user has granted beyond the sandbox in a turn. */
  readonly granted: (turnId: string) => GrantedPermissions;
  /** The longest wait of an empty `write_stdin`. */
  readonly maxPollMs: number;
}

export const DEFAULT_MAX_POLL_MS = 300_000;

export interface ExecDeps {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly random: () => number;
  /** The server's own variables. */
  readonly environment: Environment;
  readonly shells: ShellSearch;
  /** Null where the package has none, as its source has. */
  readonly programs: OwnPrograms | null;
  readonly settingsOf: (threadId: string) => ExecSettings;
  readonly sandbox: () => Promise<Sandbox>;
  /** What confined commands could write. */
  readonly places: SandboxWritablePaths;
  /** What patches are applied with that come as commands. */
  readonly patches: PatchPorts;
}
