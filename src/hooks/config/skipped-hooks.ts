/**
 * Warnings about configured hooks that do not run, shown once per thread with the command that fixes them.
 */
import type { ConfiguredHook, HookSet } from "../configured-hook.ts";
import { findSkipReason } from "./skip-reason.ts";
import type { HookState } from "./trust.ts";

const MAX_LISTED = 10;

/** Null where every enabled hook runs. */
export function skippedHooksWarning({ hooks }: HookSet): string | null {
  const skipped = hooks.flatMap((hook) => {
    const reason = findSkipReason(hook);
    // Refusals because of changed content are reported elsewhere.
    const isReported = reason === null || reason === "disabled" || hook.refusal !== undefined;
    return isReported ? [] : [{ hook, reason }];
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

/** Trusted hooks that have disappeared from a file that sandboxed commands can write. Null for none. */
export function vanishedHooksWarning(
  file: string,
  hooks: readonly Pick<ConfiguredHook, "key">[],
  states: ReadonlyMap<string, HookState>,
): string | null {
  const present = new Set(hooks.map(({ key }) => key));
  const missing = [...states].flatMap(([key, { enabled, trustedHash }]) => {
    const wasOn = trustedHash !== null && enabled !== false;
    return wasOn && key.startsWith(`${file}:`) && !present.has(key) ? [key] : [];
  });
  if (missing.length === 0) return null;
  const more = missing.length > MAX_LISTED ? ` and ${missing.length - MAX_LISTED} more` : "";
  return `hooks that were trusted are gone from ${file}, which sandboxed commands can write: ${missing.slice(0, MAX_LISTED).join(", ")}${more}. Put them back, or remove their entries from [hooks.state] of config.toml.`;
}

const REASONS = {
  untrusted: "is not trusted",
  modified: "has changed since it was trusted",
};

/** A one-line summary of the handler. */
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
