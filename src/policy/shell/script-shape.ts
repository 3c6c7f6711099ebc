import type { Node } from "web-tree-sitter";
import { literalWord } from "./literal-word.ts";

/**
 * What a script consists of whose text settles what it runs.
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
/** Characters that the grammar takes for white space and a shell does not, or the other way round. */
// oxlint-disable-next-line no-control-regex -- these are the characters in question
const STRANGE = /[\u0000-\u0008\u000b-\u001f\u007f]|[^\S \t\n]/u;

/** Null for any other script: what it runs is not known for certain. */
export function shapeOf(root: Node, script: string): ScriptShape | null {
  if (STRANGE.test(script)) return null;
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
      if (!isGap(script.slice(end, node.startIndex))) return null;
      end = node.endIndex;
    }
  }
  return isGap(script.slice(end)) ? shape : null;
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
  if (!isSoundRedirection(node)) return null;
  if (PLAIN_NODES.has(type)) return "plain";
  return GROUP_NODES.has(type) ? "grouped" : null;
}

/**
 * False where the grammar reads a redirection other than a shell does: it takes later arguments for more targets, and
 * an option such as `-a2` before `>` for a descriptor. A redirection without a command has nobody to answer for it.
 */
function isSoundRedirection(node: Node): boolean {
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
 * What lies between two tokens must be white space. A line that is continued without a blank beside the backslash
 * joins two words into one, which the grammar does not see.
 */
function isGap(text: string): boolean {
  if (!text.includes("\\")) return /^[ \t\n]*$/.test(text);
  return /^(?:[ \t\n]|\\\n)*$/.test(text) && /[ \t]/.test(text);
}
