/** What is known of programs by their names: which run the files that they are given, and which run others. */
import { isShell } from "../../policy/commands/wrappers.ts";

/** They run nothing, whatever they are given. What copies or links files is not among them. */
const HARMLESS = new Set(
  (
    ": [ [[ alias basename break cat continue cut date declare dirname echo exit export expr false grep egrep fgrep " +
    "head jq kill local logger ls mkdir notify-send printf pwd read readonly readlink realpath return rg rm rmdir " +
    "set shift shopt sleep sort stat tail tee test touch tr true type typeset ulimit umask uname uniq unset wait wc " +
    "which whoami id hostname"
  ).split(" "),
);

/** They take from the folder that they run in what they do: scripts, recipes, settings that are programs. */
export const FOLDER_PROGRAMS: ReadonlySet<string> = new Set(
  (
    "ansible ansible-playbook ant ava babel bazel behave biome buck buck2 bundle bunx cabal cargo cdk cmake commitlint " +
    "composer corepack coverage ctest cypress dbt direnv docker-compose dotnet dune eslint fastlane flake8 gmake go " +
    "golangci-lint goreleaser gradle gradlew grunt gulp hatch husky invoke jest just knip lake lefthook lein lerna " +
    "lint-staged make markdownlint-cli2 meson mise mix mkdocs mocha mvn mvnw mypy next ninja nix nox npm npx nuxt nx nyc " +
    "oxlint pants pdm pest php-cs-fixer phpstan phpunit pipenv pipx playwright pnpm pnpx poetry pre-commit prettier " +
    "prisma psalm pulumi pylint pytest rails rake rollup rspec rubocop rush sbt scons serverless sphinx-build stack " +
    "standard stylelint svelte-check tap task terraform tofu tox tsup turbo uv uvx vagrant vite vitest vue-tsc webpack " +
    "xcodebuild xo yarn zig"
  ).split(" "),
);

/** They run programs, or give files to them, whose names they read somewhere. */
export const NAMES_FROM_DATA: ReadonlySet<string> = new Set(
  "xargs parallel find fd fdfind entr source-highlight".split(" "),
);

/** They may be told in an argument to run something. */
export const WITH_CODE_ARGUMENTS: ReadonlySet<string> = new Set(
  "awk gawk mawk nawk sed gsed rsync scp sftp sqlite3 ssh tar gtar ed ex vi vim nvim emacs gdb".split(" "),
);

const INTERPRETERS = new Set(
  (
    ". source bun deno elixir fish groovy java julia lua luajit node nodejs osascript perl php powershell pwsh pypy " +
    "pypy3 python r rscript ruby swift tclsh ts-node tsx wish"
  ).split(" "),
);

export function isHarmless(name: string): boolean {
  return HARMLESS.has(name);
}

export function isInterpreter(name: string): boolean {
  return isShell(name) || INTERPRETERS.has(name) || isPython(name);
}

export function isPython(name: string): boolean {
  return /^(?:python|pypy)[\d.]*$/.test(name);
}

export type InterpreterRun =
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "module" | "input" };

/** Options whose value is code, by what interprets it. */
const CODE = /^(?:-[A-Za-z]*[eEp]|--eval|--print|--command|--run)$/;
const LONG_CODE = /^--(?:eval|print|command|run)=(.*)$/s;
const SHORT_C = /^-[A-Za-z]*c$/;
const ASKS = /^(?:-v|-V|-h|--version|--help)$/;
/** They have words for what they do, of which `run` takes a file. */
const WITH_WORDS = new Set(["bun", "deno"]);

/** What an interpreter is told to run first, and whether it looks for modules in no folder but its own. */
export function readInterpreter(
  name: string,
  args: readonly string[],
): { readonly run: InterpreterRun; readonly isIsolated: boolean } {
  let isIsolated = false;
  for (const [at, arg] of args.entries()) {
    isIsolated ||= /^-[A-Za-z]*[IP]/.test(arg);
    const run = readArgument(name, arg, args[at + 1] ?? "");
    if (run !== null) return { run, isIsolated };
  }
  const isAsking = args.length > 0 && args.every((arg) => ASKS.test(arg));
  return isAsking
    ? { run: { kind: "code", code: "" }, isIsolated: true }
    : { run: { kind: "input" }, isIsolated };
}

/** Null for an option that says nothing of it. */
function readArgument(name: string, arg: string, next: string): InterpreterRun | null {
  if (isPython(name) && /^-[A-Za-z]*m/.test(arg)) return { kind: "module" };
  // The name of a script in `package.json`.
  if (/^node(?:js)?$/.test(name) && /^--run(?:=|$)/.test(arg)) return { kind: "module" };
  const isCode = isShell(name) || isPython(name) ? SHORT_C.test(arg) : CODE.test(arg);
  if (isCode || (name === "php" && arg === "-r")) return { kind: "code", code: next };
  const joined = LONG_CODE.exec(arg)?.[1];
  if (joined !== undefined) return { kind: "code", code: joined };
  if (arg === "-" || arg === "/dev/stdin") return { kind: "input" };
  if (/^[-+]/.test(arg)) return null;
  return readOperand(name, arg);
}

function readOperand(name: string, arg: string): InterpreterRun | null {
  if (!WITH_WORDS.has(name) || /[./]/.test(arg)) return { kind: "file", file: arg };
  return arg === "run" ? null : { kind: "module" };
}
