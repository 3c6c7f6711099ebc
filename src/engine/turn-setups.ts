import type { ThreadSettings } from "./settings.ts";
import type { ThreadOptions } from "./thread-options.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** What turns run with under given settings; made anew only when these have changed. */
export function createTurnSetups({
  settings,
  firstSetup,
  setup,
}: Pick<ThreadOptions, "settings" | "firstSetup" | "setup">): (
  settings: ThreadSettings,
) => Promise<TurnSetup> {
  let last = { settings, made: Promise.resolve(firstSetup) };
  return (wanted) => {
    if (wanted === last.settings) return last.made;
    const before = last;
    const next = { settings: wanted, made: setup(wanted) };
    last = next;
    // What could not be made is tried again by the next turn.
    next.made.catch(() => {
      if (last === next) last = before;
    });
    return next.made;
  };
}
