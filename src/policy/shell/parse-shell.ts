/**
 * Reads a shell script strictly, with a full grammar: what it says about a script is certain, and where anything is
 * left open it says nothing. What may run unasked rests on this.
 */
import type { Node } from "web-tree-sitter";
import { literalWord } from "./literal-word.ts";
import type { ScannedScript } from "./scan-script.ts";
import { type ScriptShape, shapeOf } from "./script-shape.ts";
import type { ShellGrammar } from "./shell-grammar.ts";

export interface ParsedShell {
  readonly shape: ScriptShape;
  /** The program and the arguments of every command, in the order of the text. */
  readonly commands: readonly (readonly string[])[];
  readonly redirections: readonly Redirection[];
}

export interface Redirection {
  /** The operator, such as `>`, `>>`, `<`, `>&`. */
  readonly operator: string;
  /** The file or descriptor. */
  readonly target: string;
}

/** The grammar takes a hundredth of a millisecond for each word and operator, and much more for texts that do not fit it. */
const MAX_TOKENS = 1000;

/** Null for a script of which the text does not settle everything. */
export function parseShell(
  grammar: ShellGrammar,
  script: string,
  { isSimple, tokens }: ScannedScript,
): ParsedShell | null {
  if (!isSimple || tokens > MAX_TOKENS) return null;
  return grammar.read(script, (root) => {
    const shape = root.hasError ? null : shapeOf(root, script);
    return shape === null ? null : { shape, ...collect(root) };
  });
}

/** Without recursion, so that no nesting can exhaust the stack. */
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
