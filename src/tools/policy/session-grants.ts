/** What was allowed for the rest of a session, as keys that two equal requests share. */
import { plainCommands, scriptOf } from "./shell/shell-call.ts";
import type { ShellGrammar } from "./shell/shell-grammar.ts";

export type SessionGrants = ReadonlySet<string>;

export interface GrantedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly tty: boolean;
  readonly escalated: boolean;
}

/** A single plain command is the same command whether its shell is a login shell or not; other scripts are compared as text. */
export function commandGrant(grammar: ShellGrammar, { argv, cwd, tty, escalated }: GrantedCommand): string {
  return JSON.stringify(["command", argv[0] ?? null, canonical(grammar, argv), cwd, tty, escalated]);
}

function canonical(grammar: ShellGrammar, argv: readonly string[]): readonly string[] {
  const plain = plainCommands(grammar, argv);
  const [only] = plain ?? [];
  if (only !== undefined && plain?.length === 1) return only;
  const script = scriptOf(argv);
  return script === null ? argv : ["script", argv[1] ?? "", script];
}

export function fileGrant(path: string): string {
  return JSON.stringify(["file", path]);
}
