/** Parses the commands of one decision. Each script is parsed once, and all scripts share one limit. */
import { type ParsedShell, parseShell, scriptOf } from "../shell/parse-shell.ts";
import type { ScannedScript } from "../shell/scan.ts";
import { scanScript } from "../shell/scan-script.ts";
import type { ShellGrammar } from "../shell/shell-grammar.ts";
import { type Search, searchCommand } from "./search-command.ts";

export interface CommandReader {
  /** The commands of a shell call with a plain, non-empty script; null for anything else. */
  plainCommands(argv: readonly string[]): readonly (readonly string[])[] | null;
  /** The strictly parsed script; null if anything in it is uncertain. */
  parse(script: string): ParsedShell | null;
  /** The inner commands of a command, and their danger. */
  search(argv: readonly string[]): Search;
}

/** Longer commands are not parsed, and therefore asked about. */
const MAX_CHARACTERS = 65_536;
/** Limits for all scripts of one decision, including nested ones. */
const MAX_SCANNED = 2 * MAX_CHARACTERS;
const MAX_TOKENS = 10_000;

export function createCommandReader(grammar: ShellGrammar): CommandReader {
  const scanned = new Map<string, ScannedScript | null>();
  const parsed = new Map<string, ParsedShell | null>();
  const searches = new Map<readonly string[], Search>();
  /** The piped input of commands that are evaluated separately. */
  const inputs = new Map<readonly string[], string>();
  let remainingCharacters = MAX_SCANNED;
  let remainingTokens = MAX_TOKENS;

  function scan(script: string): ScannedScript | null {
    const cached = scanned.get(script);
    if (cached !== undefined) return cached;
    remainingCharacters -= script.length;
    const read = remainingCharacters < 0 ? null : scanScript(script, remainingTokens);
    remainingTokens -= read?.tokens ?? remainingTokens;
    scanned.set(script, read);
    return read;
  }

  function parse(script: string): ParsedShell | null {
    const cached = parsed.get(script);
    if (cached !== undefined) return cached;
    const scannedScript = script.length > MAX_CHARACTERS ? null : scan(script);
    const read = scannedScript === null ? null : parseShell(grammar, script, scannedScript);
    parsed.set(script, read);
    return read;
  }

  /** Records piped input, which a shell among the commands would execute. False if the commands do not correspond. */
  function recordInputs(commands: readonly (readonly string[])[], script: string): boolean {
    for (const [at, { words, input }] of (scan(script)?.commands ?? []).entries()) {
      const command = commands[at];
      if (input === null) continue;
      if (command === undefined || command.join("\0") !== words.join("\0")) return false;
      inputs.set(command, input);
    }
    return true;
  }

  return {
    parse,
    plainCommands(argv) {
      const script = scriptOf(argv);
      const read = script === null ? null : parse(script);
      if (script === null || read === null || read.shape !== "plain" || read.commands.length === 0)
        return null;
      return recordInputs(read.commands, script) ? read.commands : null;
    },
    search(argv) {
      const cached = searches.get(argv);
      if (cached !== undefined) return cached;
      const found = isTooLong(argv) ? TOO_LONG : searchCommand(argv, scan, inputs.get(argv));
      searches.set(argv, found);
      return found;
    },
  };
}

const TOO_LONG: Search = { within: [], danger: "unread" };

function isTooLong(argv: readonly string[]): boolean {
  return argv.reduce((sum, word) => sum + word.length + 1, 0) > MAX_CHARACTERS;
}
