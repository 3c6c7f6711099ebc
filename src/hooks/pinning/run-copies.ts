/** Substitutes private copies for the scripts that a handler runs. */
import type { ConfiguredHook, HookHandler } from "../configured-hook.ts";
import { execForm } from "../exec-form.ts";
import { type ExecEnv, expandVariables } from "./expand-variables.ts";
import type { GitMachine } from "./git-files.ts";
import type { ContentVerdict, Digest } from "./judge-content.ts";
import { execEnvOf, type NamedFiles, namedFiles } from "./named-files.ts";
import type { PrivateCopies } from "./private-copies.ts";

export type RunnableHandler =
  | { readonly kind: "runnable"; readonly handler: HookHandler }
  | Exclude<ContentVerdict, { kind: "same" }>;

export interface PrivateCopyOptions {
  readonly hook: ConfiguredHook;
  readonly execEnv: ExecEnv;
  readonly named: NamedFiles;
  /** The digests of the files that sandboxed commands can write. */
  readonly writable: ReadonlyMap<string, Digest>;
  readonly machine: GitMachine;
  readonly copies: PrivateCopies;
}

/** Text that means the same inside and outside of quotes. */
const PLAIN = /^[\w./@%+,:-]+$/;

export async function withPrivateCopies(options: PrivateCopyOptions): Promise<RunnableHandler> {
  const { hook, execEnv, named, writable, machine, copies } = options;
  const isPinned = (path: string) => writable.get(path)?.startsWith("sha256:") === true;
  const words = new Map<string, string>();
  for (const { word, paths } of named.scripts) {
    const [path, ...others] = paths.filter(isPinned);
    if (path === undefined) continue;
    if (others.length > 0) return unpinnable(`it is not clear which ${word} it runs`);
    const copy = await copies(path, writable.get(path) ?? "absent");
    if (copy.kind === "changed") return { kind: "changed", changes: [{ path, change: "changed" }] };
    if (copy.kind === "loadsOthers") return unpinnable(`${path} loads files that lie beside it`);
    if (copy.kind === "failed")
      return unpinnable(`no private copy of ${path} could be made: ${copy.message}`);
    if (!PLAIN.test(copy.path)) return unpinnable(`${copy.path} has a name that a shell would change`);
    words.set(word, copy.path);
  }
  const handler = words.size === 0 ? hook.handler : replaceWords(hook, execEnv, words);
  const { scripts, codePaths } =
    words.size === 0 ? named : namedFiles({ ...hook, handler }, execEnv, machine);
  const left = scripts.find(({ paths }) => paths.some(machine.isSandboxWritable));
  if (left !== undefined) return unpinnable(`no private copy can be put in the place of ${left.word}`);
  const inCode = codePaths.find(machine.isSandboxWritable);
  if (inCode !== undefined) return unpinnable(`its code names ${inCode}, which sandboxed commands can write`);
  return { kind: "runnable", handler };
}

function unpinnable(reason: string): RunnableHandler {
  return { kind: "unpinnable", reason };
}

function replaceWords(
  hook: ConfiguredHook,
  execEnv: ExecEnv,
  words: ReadonlyMap<string, string>,
): HookHandler {
  const { handler } = hook;
  if (handler.type === "module") return { ...handler, path: words.get(handler.path) ?? handler.path };
  if (handler.type !== "command") return handler;
  const [program, ...args] = execForm(handler, hook) ?? [null];
  if (program !== null) {
    const replace = (word: string) => words.get(word) ?? word;
    return { ...handler, command: replace(program), args: args.map(replace) };
  }
  let command = expandVariables(handler.command, execEnvOf(hook, execEnv));
  for (const [word, copy] of words) command = replaceWord(command, word, copy);
  return { ...handler, command };
}

/** Also matches where parts of the word are quoted, as in `"$PWD"/check.sh`. */
function replaceWord(command: string, word: string, copy: string): string {
  const characters = word.split("").map((each) => each.replace(/[.*+?^${}()|[\]\\/]/, "\\$&"));
  const pattern = new RegExp(
    `(?<=^|[\\s;&|("'\`=])(["']?)(${characters.join("[\"']*")})(["']?)(?=$|[\\s;&|)"'\`])`,
    "g",
  );
  return command.replaceAll(pattern, (_whole, before: string, core: string, after: string) => {
    const isBalanced = (text: string) =>
      ['"', "'"].every((quote) => (text.split(quote).length - 1) % 2 === 0);
    if (isBalanced(core)) return `${before}${copy}${after}`;
    if (isBalanced(before + core)) return `${copy}${after}`;
    return isBalanced(core + after) ? `${before}${copy}` : copy;
  });
}
