/** What was allowed for the rest of a session, as keys that two equal requests share. */
import type { CommandReader } from "./read-command.ts";
import { scriptOf } from "./shell/shell-call.ts";

export type SessionGrants = ReadonlySet<string>;

export interface GrantedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly tty: boolean;
  readonly escalated: boolean;
}

/** A single plain command is the same command whether its shell is a login shell or not; other scripts are compared as text. */
export function commandGrant(reader: CommandReader, { argv, cwd, tty, escalated }: GrantedCommand): string {
  return JSON.stringify(["command", argv[0] ?? null, canonical(reader, argv), cwd, tty, escalated]);
}

function canonical(reader: CommandReader, argv: readonly string[]): readonly string[] {
  const plain = reader.plainCommands(argv);
  const [only] = plain ?? [];
  if (only !== undefined && plain?.length === 1) return only;
  const script = scriptOf(argv);
  return script === null ? argv : ["script", argv[1] ?? "", script];
}

export function fileGrant(path: string): string {
  return JSON.stringify(["file", path]);
}

export function mcpGrant(server: string, tool: string): string {
  return JSON.stringify(["mcpTool", server, tool]);
}
