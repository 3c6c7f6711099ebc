/** What the modules below `hooks` need of its events, as files and their text. */
import { hookEvents } from "../src/hooks/events/index.ts";
import { wireNameOf } from "../src/hooks/hook-event.ts";

const banner = "// Generated from src/hooks/events by `npm run generate`. Do not edit.\n\n";

/** Paths are relative to the root of the project. */
export function hookEventFiles(): Map<string, string> {
  return new Map([
    ["src/protocol/generated/hook-events.ts", banner + writeNames()],
    ["src/lifecycle/generated/heddle-hooks.ts", banner + writeLifecycleHooks()],
  ]);
}

function writeNames(): string {
  const rows = hookEvents.map(({ name, description, reading }) => ({
    name,
    wireName: wireNameOf(name),
    description,
    isAnswered: reading.codex.output !== null,
  }));
  return [
    "/** Events of hooks, in the order in which lists of hooks have them. */",
    "export const hookEventRows = [",
    ...rows.map(writeRow),
    "] as const;\n",
  ].join("\n");
}

function writeLifecycleHooks(): string {
  const rows = hookEvents.flatMap(({ name, lifecycle }) =>
    lifecycle === null ? [] : [{ hook: name, reads: lifecycle }],
  );
  return [
    'import type { EventName } from "../vocabulary/events.ts";\n',
    "/** Hooks of Heddle, and the event that each is read as. */",
    "export const heddleHooks: readonly { readonly hook: string; readonly reads: EventName }[] = [",
    ...rows.map(writeRow),
    "];\n",
  ].join("\n");
}

function writeRow(row: object): string {
  return `  ${JSON.stringify(row)},`;
}
