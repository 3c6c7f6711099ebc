import type { ThreadSettings } from "../state/settings.ts";
import type { ThreadOptions } from "../thread-options.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** What turns run with under given settings; made anew only when these have changed. */
export interface TurnSetups {
  of(settings: ThreadSettings): Promise<TurnSetup>;
  /** The one that was made last. */
  readonly latest: TurnSetup;
}

export function createTurnSetups({
  settings,
  firstSetup,
  setup,
}: Pick<ThreadOptions, "settings" | "firstSetup" | "setup">): TurnSetups {
  let latest = firstSetup;
  let last = { settings, made: Promise.resolve(firstSetup) };

  async function make(wanted: ThreadSettings): Promise<TurnSetup> {
    latest = await setup(wanted);
    return latest;
  }

  return {
    get latest() {
      return latest;
    },
    of(wanted) {
      if (wanted === last.settings) return last.made;
      const before = last;
      const next = { settings: wanted, made: make(wanted) };
      last = next;
      // What could not be made is tried again by the next turn.
      next.made.catch(() => {
        if (last === next) last = before;
      });
      return next.made;
    },
  };
}
