/** Reads a shell script into the commands that it would run, as far as its text says what they are. */
import type { Node } from "web-tree-sitter";
import { literalWord } from "./literal-word.ts";
import { type ScriptShape, shapeOf } from "./script-shape.ts";
import type { ShellGrammar } from "./shell-grammar.ts";

export type ParsedShell =
  | {
      readonly ok: true;
      readonly shape: ScriptShape;
      /** Every command, in the order of the text, also those within substitutions, loops and functions. */
      readonly commands: readonly ParsedCommand[];
    }
  /** No valid script; the commands are those that could be made out, and there may be others. */
  | { readonly ok: false; readonly commands: readonly ParsedCommand[] };

export interface ParsedCommand {
  /** The program and its arguments; null stands for a word that is only known when the script runs. */
  readonly words: readonly (string | null)[];
  /** Names of the variables that are set for this command. */
  readonly assignments: readonly string[];
  /** Redirections of this command and of all that surrounds it. */
  readonly redirections: readonly Redirection[];
}

export interface Redirection {
  /** The operator, such as `>`, `>>`, `<`, `>&`, `<<`. */
  readonly operator: string;
  /** The file or descriptor; null when it is only known when the script runs. */
  readonly target: string | null;
}

/** Longer scripts are not read, and so not trusted. */
const MAX_SCRIPT = 65_536;
const UNREAD: ParsedShell = { ok: false, commands: [] };

export function parseShell(grammar: ShellGrammar, script: string): ParsedShell {
  if (script.length > MAX_SCRIPT) return UNREAD;
  const parsed = grammar.read<ParsedShell>(script, (root) => {
    const commands = collect(root);
    return root.hasError ? { ok: false, commands } : { ok: true, shape: shapeOf(root, script), commands };
  });
  return parsed ?? UNREAD;
}

interface Pending {
  readonly node: Node;
  readonly outer: readonly Redirection[];
  readonly late: readonly (string | null)[];
}

/** Without recursion, so that no nesting can exhaust the stack. */
function collect(root: Node): ParsedCommand[] {
  const commands: ParsedCommand[] = [];
  const pending: Pending[] = [{ node: root, outer: [], late: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node } = next;
    const children = node.namedChildren;
    const own = children.filter(isRedirection);
    const outer = own.length === 0 ? next.outer : [...next.outer, ...own.map(readRedirection)];
    const late = own.length === 0 ? next.late : [...next.late, ...own.flatMap(lateWords)];
    if (node.type === "command") commands.push(readCommand(node, outer, late));
    for (const child of children.toReversed()) pending.push({ node: child, outer, late });
  }
  return commands;
}

/**
 * The grammar counts arguments that follow a redirection as part of it, and an option with a digit right before it as
 * its descriptor. They belong to the last command before it;
 * here every command that the redirection covers gets them, so that none escapes notice.
 */
function lateWords(redirection: Node): (string | null)[] {
  if (redirection.type !== "file_redirect")
    return redirection.childrenForFieldName("argument").map(literalWord);
  const descriptor = redirection.childForFieldName("descriptor")?.text ?? "";
  const option = /^\d*$/.test(descriptor) ? [] : [descriptor];
  return [...option, ...destinations(redirection).slice(1).map(literalWord)];
}

function readCommand(
  node: Node,
  redirections: readonly Redirection[],
  late: readonly (string | null)[],
): ParsedCommand {
  const words: (string | null)[] = [];
  const assignments: string[] = [];
  let isTranslated = false;
  for (const child of node.children) {
    if (child.type === "variable_assignment") assignments.push(child.firstNamedChild?.text ?? "");
    else if (child.type === "command_name") words.push(literalName(child));
    else if (child.isNamed && !isRedirection(child)) words.push(isTranslated ? null : literalWord(child));
    isTranslated = child.type === "$";
  }
  return { words: [...words, ...late], assignments, redirections };
}

function literalName(node: Node): string | null {
  const name = node.firstNamedChild;
  return name === null ? null : literalWord(name);
}

function isRedirection({ type }: Node): boolean {
  return type === "file_redirect" || type === "heredoc_redirect" || type === "herestring_redirect";
}

function readRedirection(node: Node): Redirection {
  const operator = node.children.find((child) => !child.isNamed)?.type ?? "";
  const [destination] = node.type === "file_redirect" ? destinations(node) : [];
  return { operator, target: destination === undefined ? null : literalWord(destination) };
}

function destinations(redirection: Node): Node[] {
  return redirection.childrenForFieldName("destination");
}
