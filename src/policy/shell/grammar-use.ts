import type { Awaitable } from "../../base/awaitable.ts";
import type { ShellGrammar } from "./shell-grammar.ts";

/** Calls a function with the grammar; it may be called twice, and only its last result counts. */
export type GrammarUse = <T>(use: (grammar: ShellGrammar) => T) => Awaitable<T>;

/** Opens the grammar when a script is parsed with it for the first time: a plain script does not wait for it. */
export function createGrammarUse(open: () => Promise<ShellGrammar>): GrammarUse {
  let opened: ShellGrammar | null = null;
  return (use) => {
    if (opened !== null) return use(opened);
    let isNeeded = false;
    const result = use({
      read() {
        isNeeded = true;
        return null;
      },
    });
    // A result that lacks a parsed script is not a decision.
    if (!isNeeded) return result;
    return open().then((grammar) => use((opened = grammar)));
  };
}
