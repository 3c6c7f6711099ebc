/** A change in words: what a person did to a thread, a queue or the server. */
import type { AuditEntry } from "../../protocol/generated/types.ts";

const DONE: Readonly<Record<string, string>> = {
  "config/batchWrite": "changed the configuration",
  "config/value/write": "changed the configuration",
  "device/pair": "offered a code to a device",
  "device/revoke": "revoked a device",
  "experimentalFeature/enablement/set": "switched a feature",
  "schedule/create": "created a schedule",
  "schedule/delete": "deleted a schedule",
  "schedule/runNow": "ran a schedule",
  "schedule/update": "changed a schedule",
  "skills/config/write": "changed a skill",
  "thread/archive": "archived the thread",
  "thread/delete": "deleted the thread",
  "thread/queue/delete": "removed a turn",
  "thread/queue/pause": "paused the queue",
  "thread/queue/reorder": "changed the order",
  "thread/queue/resume": "resumed the queue",
  "thread/queue/start": "started a turn",
  "thread/queue/update": "changed a turn",
  "thread/revert": "reverted the thread",
  "thread/settings/update": "changed the settings",
  "thread/unarchive": "unarchived the thread",
  "thread/wakeToken/create": "created a token",
  "thread/wakeToken/revoke": "revoked a token",
  "turn/interrupt": "interrupted the turn",
  "webhook/retry": "retried deliveries",
};

/** Hooks are trusted and switched by the configuration. */
const HOOKS: readonly (readonly [RegExp, string])[] = [
  [/^removed hooks\.state\b.*trusted_hash/u, "took the trust of a hook back"],
  [/^hooks\.state\b.*trusted_hash/u, "trusted a hook"],
  [/^hooks\.state\b.*enabled/u, "switched a hook"],
];

export function describeChange({ method, detail }: Pick<AuditEntry, "method" | "detail">): string {
  const [, ofHook] =
    HOOKS.find(([pattern]) => method.startsWith("config/") && pattern.test(detail ?? "")) ?? [];
  return ofHook ?? DONE[method] ?? method;
}

/** The person, or else the program. */
export const personOf = ({ subject, clientName }: Pick<AuditEntry, "subject" | "clientName">): string =>
  subject ?? clientName ?? "a client";
