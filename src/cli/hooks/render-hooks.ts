/** Hooks for people, in colour where they are read on a terminal. */
import { printable, printableLines } from "../../base/printable.ts";
import { describeHandler } from "../../hooks/config/skipped-hooks.ts";
import type { Paint } from "../command-line/paint.ts";
import type { HookView } from "./hook-view.ts";
import { trustCommand } from "./trust-command.ts";

/** One hook: what it is about, what runs, where it is from, and whether it runs. */
export function renderHook(view: HookView, paint: Paint): string {
  const { hook, skipped } = view;
  const about = hook.matcher === null ? hook.event : `${hook.event} ${printable(hook.matcher)}`;
  const state =
    skipped === null
      ? paint.good(hook.isManaged ? "runs (managed)" : "runs")
      : paint.bad(`does not run: ${printableLines(describeSkip(view))}`);
  const lines = [
    `${hook.displayOrder}  ${about}  ${state}`,
    `   ${printable(describeHandler(hook))}`,
    `   ${paint.faint(`${hook.source}, ${printable(hook.key)}`)}`,
  ];
  if (skipped === "untrusted" || skipped === "modified")
    lines.push(`   look at it, and then: ${printable(trustCommand(hook.key))}`);
  return `${lines.join("\n")}\n`;
}

/** Why it does not run, and which file has changed where one has. */
export function describeSkip({ hook, content, skipped }: HookView): string {
  switch (skipped) {
    case "disabled":
      return "it is switched off";
    case "modified":
      return `its definition in ${hook.sourcePath} has changed since it was trusted`;
    case "refused":
      return withoutName(content.refusal?.message ?? "", hook);
    default:
      return "it is not trusted";
  }
}

/** A refusal beside the hook that it is about. */
export function withoutName(refusal: string, { key }: HookView["hook"]): string {
  return refusal.replace(`hook ${key} does not run: `, "");
}

const SHOWN_DIGITS = 12;
/** Hooks of git have many names. */
const MAX_ABSENT = 5;

/** What is trusted with a hook. */
export function renderContent({ content }: HookView, paint: Paint): string {
  const isAbsent = ({ digest }: { readonly digest: string }) => digest === "absent";
  const there = content.files.filter((file) => file.digest !== "folder" && !isAbsent(file));
  const absent = content.files.filter(isAbsent);
  const files = [...there, ...absent.slice(0, MAX_ABSENT)].map(({ path, digest }) => {
    const short = digest.replace(/^sha256:/, "").slice(0, SHOWN_DIGITS);
    return `   ${paint.faint(digest === "absent" ? "not there" : short)}  ${printable(path)}\n`;
  });
  const more = absent.length - MAX_ABSENT;
  if (more > 0) files.push(`   ${paint.faint("not there")}  ${more} more\n`);
  const unpinnable =
    content.unpinnable === null
      ? ""
      : `   its command does not tell which files it runs: ${printable(content.unpinnable)}\n`;
  return `${files.join("")}${unpinnable}`;
}

/** What is wrong with the files of hooks, whatever somebody wants of them: a hook may be missing for it. */
export function writeWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) process.stderr.write(`${printableLines(warning)}\n`);
}
