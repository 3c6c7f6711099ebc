import type { WebhookEndpoint } from "./read-webhooks.ts";
import type { AnnouncedThread, WebhookEventType } from "./webhook-events.ts";

/** Whether an endpoint wants an event. With a filter, an event of no thread is not wanted. */
export function wantsEvent(
  { events, filter }: Pick<WebhookEndpoint, "events" | "filter">,
  type: WebhookEventType,
  thread: AnnouncedThread | null,
): boolean {
  if (events !== null && !events.has(type)) return false;
  const { folders, names, sources } = filter;
  if (folders.length + names.length + sources.length === 0) return true;
  if (thread === null) return false;
  const { cwd, name, source } = thread;
  return (
    (folders.length === 0 || folders.some((folder) => isWithin(cwd, folder))) &&
    (names.length === 0 || (name !== null && names.some((pattern) => matches(name, pattern)))) &&
    (sources.length === 0 || sources.includes(source))
  );
}

function isWithin(path: string, folder: string): boolean {
  const parent = folder.replace(/\/+$/u, "");
  return path === parent || path.startsWith(`${parent}/`) || parent === "";
}

/** Without backtracking: each part is searched for once, from where the one before it has ended. */
function matches(name: string, pattern: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - at >= last.length && name.endsWith(last);
}
