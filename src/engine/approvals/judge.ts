import type { CommandDecision } from "../../policy/decide-command.ts";
import type { FileChangeDecision } from "../../policy/decide-file-change.ts";
import type { CommandApproval } from "../../tools/tool.ts";

/** What the policy of a thread says, and what its user has allowed so far. */
export interface Judge {
  /** Whether a command that its sandbox has stopped may be judged once more, for a run without it. */
  readonly allowsRetries: boolean;
  command(request: CommandApproval): Promise<CommandDecision>;
  /** Paths are absolute, with links resolved. */
  fileChange(paths: readonly string[]): FileChangeDecision;
  /** The same command need not be asked about again in this session. */
  grantCommand(request: CommandApproval): Promise<void>;
  grantFiles(paths: readonly string[]): void;
  /** Commands that begin so need not be asked about again, here and in later threads. */
  allowPrefix(prefix: readonly string[]): Promise<void>;
}
