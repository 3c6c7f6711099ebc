/** Renders hooks as text, with colours on a terminal. */
import { printable, printableLines } from "../../base/printable.ts";
import { describeHandler } from "../../hooks/config/skipped-hooks.ts";
import { describeSkip, type HookView, trustCommand } from "../../runtime/workbench/view-hooks.ts";
import type { Paint } from "../command-line/paint.ts";

/** Renders one hook: its event, state, handler and source. */
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

const SHOWN_DIGITS = 12;
/** Git has many hook names, most of which are absent. */
const MAX_ABSENT = 5;

/** Renders the files that the trust of a hook covers. */
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
      : `   it is unknown which files its command runs: ${printable(content.unpinnable)}\n`;
  return `${files.join("")}${unpinnable}`;
}

/** Always shown, because a fault in a hook file may be the reason why a hook is missing. */
export function writeWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) process.stderr.write(`${printableLines(warning)}\n`);
}
