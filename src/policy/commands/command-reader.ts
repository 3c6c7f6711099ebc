/** Reads the commands of one decision. Each script is read once, whatever asks for it, and all within one limit. */
import { type ParsedShell, parseShell, scriptOf } from "../shell/parse-shell.ts";
import type { ScannedScript } from "../shell/scan.ts";
import { scanScript } from "../shell/scan-script.ts";
import type { ShellGrammar } from "../shell/shell-grammar.ts";
import { type Search, searchCommand } from "./search-command.ts";

export interface CommandReader {
  /** The commands of a shell call whose script is plain and not empty; null for anything else. */
  plainCommands(argv: readonly string[]): readonly (readonly string[])[] | null;
  /** What a script says for certain; null where it leaves anything open. */
  parse(script: string): ParsedShell | null;
  /** What a command runs in turn, and whether that is dangerous. */
  search(argv: readonly string[]): Search;
}

/** Longer commands are not read, and so asked about. */
const MAX_CHARACTERS = 65_536;
/** All scripts of one decision together, also those within others: characters, and words and operators. */
const MAX_SCANNED = 2 * MAX_CHARACTERS;
const MAX_TOKENS = 10_000;

export function createCommandReader(grammar: ShellGrammar): CommandReader {
  const scanned = new Map<string, ScannedScript | null>();
  const parsed = new Map<string, ParsedShell | null>();
  const searches = new Map<readonly string[], Search>();
  /** What is piped into commands that were given out one by one. */
  const inputs = new Map<readonly string[], string>();
  let charactersLeft = MAX_SCANNED;
  let tokensLeft = MAX_TOKENS;

  function scan(script: string): ScannedScript | null {
    const known = scanned.get(script);
    if (known !== undefined) return known;
    charactersLeft -= script.length;
    const read = charactersLeft < 0 ? null : scanScript(script, tokensLeft);
    tokensLeft -= read?.tokens ?? tokensLeft;
    scanned.set(script, read);
    return read;
  }

  function parse(script: string): ParsedShell | null {
    const known = parsed.get(script);
    if (known !== undefined) return known;
    const seen = script.length > MAX_CHARACTERS ? null : scan(script);
    const read = seen === null ? null : parseShell(grammar, script, seen);
    parsed.set(script, read);
    return read;
  }

  /** A shell that is one of the commands runs what the one before it prints. False where that cannot be matched. */
  function keepInputs(commands: readonly (readonly string[])[], script: string): boolean {
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
      return keepInputs(read.commands, script) ? read.commands : null;
    },
    search(argv) {
      const known = searches.get(argv);
      if (known !== undefined) return known;
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
