/**
 * Parses a shell script strictly, with a full grammar: a result is certain, and a script with anything uncertain yields
 * none. Which commands may run without a question depends on this.
 */
import { basename } from "node:path";
import type { Node } from "web-tree-sitter";
import { isPlainScript } from "./is-plain-script.ts";
import type { ScannedScript } from "./scan.ts";
import type { ShellGrammar } from "./shell-grammar.ts";

export interface ParsedShell {
  readonly shape: ScriptShape;
  /** The program and arguments of every command, in source order. */
  readonly commands: readonly (readonly string[])[];
  readonly redirections: readonly Redirection[];
}

export interface Redirection {
  /** The operator, such as `>`, `>>`, `<`, `>&`. */
  readonly operator: string;
  /** The file or descriptor. */
  readonly target: string;
}

/** The grammar takes a hundredth of a millisecond for each word and operator, and much more for invalid input. */
const MAX_TOKENS = 1000;

/** Null if the text does not fully determine what the script runs. */
export function parseShell(
  grammar: ShellGrammar,
  script: string,
  { commands, isSimple, tokens }: ScannedScript,
): ParsedShell | null {
  if (!isSimple || tokens > MAX_TOKENS) return null;
  if (isPlainScript(script))
    return { shape: "plain", commands: commands.map(({ words }) => [...words]), redirections: [] };
  return parseWithGrammar(grammar, script);
}

export function parseWithGrammar(grammar: ShellGrammar, script: string): ParsedShell | null {
  return grammar.read(script, (root) => {
    const shape = root.hasError ? null : shapeOf(root, script);
    return shape === null ? null : { shape, ...collect(root) };
  });
}

/** Iterative, so that no nesting can overflow the stack. */
function collect(root: Node): Pick<ParsedShell, "commands" | "redirections"> {
  const commands: string[][] = [];
  const redirections: Redirection[] = [];
  const pending: Node[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const children = node.namedChildren;
    if (node.type === "file_redirect") redirections.push(readRedirection(node));
    if (node.type === "command")
      commands.push(children.filter((child) => !isRedirection(child)).map(readWord));
    const inner = node.type === "command" ? children.filter(isRedirection) : children;
    pending.push(...inner.toReversed());
  }
  return { commands, redirections };
}

function isRedirection({ type }: Node): boolean {
  return type === "file_redirect";
}

function readWord(node: Node): string {
  return literalWord((node.type === "command_name" ? node.firstNamedChild : null) ?? node) ?? "";
}

function readRedirection(node: Node): Redirection {
  const operator = node.children.find((child) => !child.isNamed)?.type ?? "";
  const destination = node.childForFieldName("destination");
  return { operator, target: (destination === null ? null : literalWord(destination)) ?? "" };
}

/**
 * The structure of a script whose text fully determines what it runs.
 * - `plain`: literal commands, joined by `&&`, `||`, `;`, `|` and new lines; nothing else.
 * - `grouped`: the same with subshells, groups, negation and redirections.
 */
export type ScriptShape = "plain" | "grouped";

const PLAIN_NODES = new Set(
  "program list pipeline command command_name word string string_content raw_string number concatenation".split(
    " ",
  ),
);
const PLAIN_TOKENS = new Set(["&&", "||", ";", "|", '"', "'"]);

const GROUP_NODES = new Set(
  "subshell compound_statement negated_command redirected_statement file_redirect file_descriptor".split(" "),
);
const GROUP_TOKENS = new Set(["(", ")", "{", "}", "!", ">", ">>", "<", "&>", "&>>", ">&", "<&", ">|"]);

const WORDS = new Set(["word", "number", "string", "raw_string", "concatenation"]);
/** Characters that are white space for the grammar and not for a shell, or vice versa. */
// oxlint-disable-next-line no-control-regex -- these are the characters in question
const AMBIGUOUS_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f]|[^\S \t\n]/u;

/** Null for any other script. */
function shapeOf(root: Node, script: string): ScriptShape | null {
  if (AMBIGUOUS_CHARACTERS.test(script)) return null;
  let shape: ScriptShape = "plain";
  let end = 0;
  const pending: Node[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const own = shapeOfNode(node);
    if (own === null) return null;
    if (own === "grouped") shape = "grouped";
    if (node.childCount > 0 && !WORDS.has(node.type)) {
      pending.push(...node.children.toReversed());
    } else {
      if (!isWhitespaceGap(script.slice(end, node.startIndex))) return null;
      end = node.endIndex;
    }
  }
  return isWhitespaceGap(script.slice(end)) ? shape : null;
}

function shapeOfNode(node: Node): ScriptShape | null {
  const { type } = node;
  if (!node.isNamed) {
    if (PLAIN_TOKENS.has(type) || type.trim() === "") return "plain";
    return GROUP_TOKENS.has(type) ? "grouped" : null;
  }
  if (WORDS.has(type) && literalWord(node) === null) return null;
  // A quoted program name runs the same program, but no rule was ever written for one.
  if (type === "command_name" && node.firstNamedChild?.type !== "word") return null;
  if (!isReliableRedirection(node)) return null;
  if (PLAIN_NODES.has(type)) return "plain";
  return GROUP_NODES.has(type) ? "grouped" : null;
}

/**
 * False where the grammar parses a redirection differently from a shell: it treats later arguments as more targets, and
 * an option such as `-a2` before `>` as a descriptor. A redirection without a command has no command to be evaluated.
 */
function isReliableRedirection(node: Node): boolean {
  switch (node.type) {
    case "redirected_statement":
      return node.childForFieldName("body") !== null;
    case "file_redirect":
      return node.childrenForFieldName("destination").length === 1;
    case "file_descriptor":
      return /^\d+$/.test(node.text);
    default:
      return true;
  }
}

/**
 * The text between two tokens must be white space. A line continuation without a blank beside the backslash joins two
 * words into one, which the grammar does not detect.
 */
function isWhitespaceGap(text: string): boolean {
  if (!text.includes("\\")) return /^[ \t\n]*$/.test(text);
  return /^(?:[ \t\n]|\\\n)*$/.test(text) && /[ \t]/.test(text);
}

/**
 * Characters that a shell may expand: variables, globs, escapes, home folders, and zsh's own patterns.
 */
const CHANGEABLE = /[{}*?[\]\\~^#$`]/;
/** Escapes that are active within double quotes. */
const ESCAPED_IN_QUOTES = /\\[$`"\\\n]/;

/** The argument that the program receives, if the text determines it; otherwise null. */
function literalWord(node: Node): string | null {
  switch (node.type) {
    case "word":
    case "number":
      return literalText(node);
    case "string":
      return doubleQuoted(node);
    case "raw_string":
      return unquoted(node.text, "'");
    case "concatenation":
      return joined(node);
    default:
      return null;
  }
}

function literalText(node: Node): string | null {
  if (node.namedChildCount > 0 || node.text.startsWith("=") || CHANGEABLE.test(node.text)) return null;
  return node.text;
}

function doubleQuoted(node: Node): string | null {
  if (node.namedChildren.some((part) => part.type !== "string_content")) return null;
  const text = unquoted(node.text, '"');
  return text === null || ESCAPED_IN_QUOTES.test(text) ? null : text;
}

function unquoted(text: string, quote: string): string | null {
  return text.length >= 2 && text.startsWith(quote) && text.endsWith(quote) ? text.slice(1, -1) : null;
}

function joined(node: Node): string | null {
  let whole = "";
  let end = node.startIndex;
  for (const part of node.children) {
    const text = literalWord(part);
    if (text === null || part.startIndex !== end) return null;
    whole += text;
    end = part.endIndex;
  }
  return whole === "" ? null : whole;
}

const SHELLS = new Set(["bash", "zsh", "sh"]);

/** The script of `bash -lc <script>` and similar calls, whose plain commands are evaluated separately; otherwise null. */
export function scriptOf(argv: readonly string[]): string | null {
  const [shell, flag, script] = argv;
  if (argv.length !== 3 || shell === undefined || script === undefined) return null;
  return (flag === "-lc" || flag === "-c") && isPlainShell(shell) ? script : null;
}

function isPlainShell(path: string): boolean {
  return SHELLS.has(basename(path).replace(/(?<=.)\.[^.]*$/, ""));
}
