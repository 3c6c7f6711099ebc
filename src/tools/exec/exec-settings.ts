/** Settings and dependencies of the exec tools. */
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

/** The command settings of a thread's configuration. */
export interface ExecSettings {
  readonly environmentPolicy: EnvironmentPolicy;
  readonly allowLoginShell: boolean;
  /** The output limit of the thread's model. */
  readonly truncation: Truncation;
  /** The session that the thread belongs to. */
  readonly sessionId: string;
  /** Permissions that the user has granted beyond the sandbox in a turn. */
  readonly granted: (turnId: string) => GrantedPermissions;
  /** The longest wait of an empty `write_stdin`. */
  readonly maxPollMs: number;
}

export const DEFAULT_MAX_POLL_MS = 300_000;

export interface ExecDeps {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly random: () => number;
  /** The environment of the server process. */
  readonly environment: Environment;
  readonly shells: ShellSearch;
  /** Null where the package has none, for example when running from source. */
  readonly programs: OwnPrograms | null;
  readonly settingsOf: (threadId: string) => ExecSettings;
  readonly sandbox: () => Promise<Sandbox>;
  /** Paths that sandboxed commands could have written. */
  readonly writablePaths: SandboxWritablePaths;
  /** Applies patches that are sent as commands. */
  readonly patches: PatchPorts;
}
