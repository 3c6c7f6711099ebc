/**
 * Finds every command in a shell script, also in substitutions, loops, functions and here-documents, in one pass whose
 * time grows with the length of the text alone. It reads leniently, because what is found is only ever used to hold
 * something back: a text that is no valid script still yields its commands. What may run unasked is decided by
 * `parseShell`, which reads strictly.
 */
import { literalOutput } from "./literal-output.ts";
import { type Findings, MAX_LOOKAHEAD } from "./scan.ts";
import { readList } from "./scan-list.ts";

export interface ScannedCommand {
  /** The program and its arguments, where `$_` stands for what only the shell knows. */
  readonly words: readonly string[];
  /** What it reads from its standard input, where the script says so. */
  readonly input: string | null;
}

export interface ScannedScript {
  readonly commands: readonly ScannedCommand[];
  /** Whether nothing but words, quotes, redirections, operators and groups is in it. */
  readonly isSimple: boolean;
  /** Words, operators, quotes and expansions. */
  readonly tokens: number;
}

/** Null for a script of more tokens, or one that is nested too deeply. */
export function scanScript(text: string, maxTokens: number): ScannedScript | null {
  const findings: Findings = {
    commands: [],
    heredocs: [],
    depth: 0,
    isSimple: true,
    tokens: 0,
    maxTokens,
    lookahead: MAX_LOOKAHEAD,
    isLost: false,
    readList,
  };
  readList({ text, at: 0, findings }, null);
  const { commands, isSimple, tokens, isLost } = findings;
  if (isLost) return null;
  // A command stands behind the one that it reads from.
  for (const command of commands) {
    if (command.source !== null) command.input ??= literalOutput(command.source);
  }
  return { commands, isSimple, tokens };
}
