/** Tells what the server itself put into the conversation as words of the user; clients are not shown it. */

/** Text that begins with the first and ends with the second, whatever the case of the letters. */
const MARKED: readonly (readonly [string, string])[] = [
  ["# AGENTS.md instructions", "</INSTRUCTIONS>"],
  ["<environment_context>", "</environment_context>"],
  ["<skill>", "</skill>"],
  ["<user_shell_command>", "</user_shell_command>"],
  ["<turn_aborted>", "</turn_aborted>"],
  ["<subagent_notification>", "</subagent_notification>"],
  ["<recommended_plugins>", "</recommended_plugins>"],
];

/** The last three were written by servers of earlier years, and are still in their histories. */
const PATTERNS: readonly RegExp[] = [
  /^<external_([^>]*)>[\s\S]*<\/external_\1>$/,
  /^<codex_internal_context source="[a-z][a-z0-9_]*">[\s\S]*<\/codex_internal_context>$/,
  /^<goal_context>[\s\S]*<\/goal_context>$/,
  /^Warning: The maximum number of unified exec processes you can keep open is/,
  /^Warning: apply_patch was requested via [\s\S]*Use the apply_patch tool instead of exec_command\.$/,
  /^Warning: Your account was flagged for potentially high-risk cyber activity/,
];

export function isContextText(text: string): boolean {
  const trimmed = text.trim();
  return (
    MARKED.some(([start, end]) => isWrapped(trimmed, start, end)) ||
    PATTERNS.some((pattern) => pattern.test(trimmed))
  );
}

function isWrapped(text: string, start: string, end: string): boolean {
  return (
    text.slice(0, start.length).toLowerCase() === start.toLowerCase() &&
    text.slice(-end.length).toLowerCase() === end.toLowerCase()
  );
}
