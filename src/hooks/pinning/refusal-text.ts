/** Messages for trusted hooks that do not run, with the command that resolves it. */
import { printable } from "../../base/printable.ts";
import type { ConfiguredHook } from "../configured-hook.ts";
import type { ContentChange, ContentVerdict } from "./judge-content.ts";

const CHANGES: Readonly<Record<ContentChange["change"], string>> = {
  changed: "has changed since it was trusted",
  added: "was not there when it was trusted, or was never looked at",
  vanished: "is gone",
  odd: "is not a regular file that can be read",
};

const MAX_LISTED = 5;

/** `brokenFile` is the path of the pin file where it cannot be parsed. */
export function describeRefusal(
  { key, isManaged }: Pick<ConfiguredHook, "key" | "isManaged">,
  verdict: Exclude<ContentVerdict, { kind: "same" }>,
  brokenFile: string | null,
): string {
  const name = `hook ${key} does not run:`;
  const command = `heddle hooks trust${verdict.kind === "unpinnable" ? " --unpinned" : ""} ${quote(key)}`;
  if (brokenFile !== null) {
    return `${name} ${brokenFile} cannot be read, so that nothing is known of what was trusted. Remove it, look at the hook's files, and trust them with \`${command}\`.`;
  }
  if (verdict.kind === "unpinnable") {
    return `${name} sandboxed commands can write where it runs, and its command does not tell which files it runs: ${verdict.reason}. Let it run within the sandbox with \`sandbox = true\`, call a program of your own outside of the workspace by its absolute path, or trust it as it is with \`${command}\`.`;
  }
  const listed = verdict.changes
    .slice(0, MAX_LISTED)
    .map(({ path, change }) => `${printable(path)} ${CHANGES[change]}`);
  const more = verdict.changes.length - listed.length;
  const what = `${listed.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  const who = isManaged
    ? "Sandboxed commands can write it; until then the hook counts as failed."
    : "Sandboxed commands can write it.";
  return `${name} ${what}. ${who} Look at it, and then trust it with \`${command}\`.`;
}

function quote(key: string): string {
  return /^[\w./:@%+=,-]+$/.test(key) ? key : `'${key.replaceAll("'", `'\\''`)}'`;
}
