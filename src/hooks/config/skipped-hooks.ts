/** What a user is told of hooks that are configured and do not run: once for a thread, with what to do about it. */
import type { ConfiguredHook, HookSet } from "../configured-hook.ts";
import type { HookState } from "./trust.ts";
import { whySkipped } from "./why-skipped.ts";

const MAX_LISTED = 10;

/** Null where every hook runs that is not switched off. */
export function skippedHooksWarning({ hooks }: HookSet): string | null {
  const skipped = hooks.flatMap((hook) => {
    const reason = whySkipped(hook);
    // What has become of its files is said elsewhere.
    const isTold = reason === null || reason === "disabled" || hook.refusal !== undefined;
    return isTold ? [] : [{ hook, reason }];
  });
  if (skipped.length === 0) return null;
  const intro =
    skipped.length === 1
      ? "1 hook does not run. Look at it, and then trust it with `heddle hooks trust`."
      : `${skipped.length} hooks do not run. Look at them, and then trust them with \`heddle hooks trust\`.`;
  const lines = skipped
    .slice(0, MAX_LISTED)
    .map(({ hook, reason }) => `  ${hook.key} ${REASONS[reason]}: ${shorten(describeHandler(hook))}`);
  if (skipped.length > MAX_LISTED) lines.push(`  ... and ${skipped.length - MAX_LISTED} more`);
  return [intro, ...lines].join("\n");
}

/** Of a file that confined commands can write: what the user trusted there and what is not there any more. Null for none. */
export function vanishedHooksWarning(
  file: string,
  hooks: readonly Pick<ConfiguredHook, "key">[],
  states: ReadonlyMap<string, HookState>,
): string | null {
  const there = new Set(hooks.map(({ key }) => key));
  const gone = [...states].flatMap(([key, { enabled, trustedHash }]) => {
    const wasOn = trustedHash !== null && enabled !== false;
    return wasOn && key.startsWith(`${file}:`) && !there.has(key) ? [key] : [];
  });
  if (gone.length === 0) return null;
  const more = gone.length > MAX_LISTED ? ` and ${gone.length - MAX_LISTED} more` : "";
  return `hooks that were trusted are gone from ${file}, which sandboxed commands can write: ${gone.slice(0, MAX_LISTED).join(", ")}${more}. Put them back, or remove their entries from [hooks.state] of config.toml.`;
}

const REASONS = {
  untrusted: "is not trusted",
  modified: "has changed since it was trusted",
};

/** What a hook does, in one line. */
export function describeHandler({ handler }: Pick<ConfiguredHook, "handler">): string {
  switch (handler.type) {
    case "command":
      return [handler.command, ...(handler.args ?? [])].join(" ");
    case "mcp_tool":
      return `${handler.server}/${handler.tool}`;
    case "http":
      return `POST ${handler.url}`;
    case "prompt":
      return handler.prompt;
    case "module":
      return `module ${handler.path}`;
  }
}

const MAX_SHOWN = 100;

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
