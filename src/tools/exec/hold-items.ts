import type { ItemLog } from "../tool.ts";

/** Holds back what is told of a command until it is known whether that run counts. */
export interface HeldItems {
  readonly items: ItemLog;
  /** Tells what was held back, and from then on everything at once. */
  release(): void;
  /** The run does not count: nothing of it is told, also later. */
  discard(): void;
}

export function holdItems(log: ItemLog): HeldItems {
  let held: (() => void)[] | null = [];
  let isDiscarded = false;
  const tell = (report: () => void): void => {
    if (isDiscarded) return;
    if (held === null) report();
    else held.push(report);
  };
  return {
    items: {
      begin: (item) => tell(() => log.begin(item)),
      complete: (item) => tell(() => log.complete(item)),
      outputDelta: (itemId, delta) => tell(() => log.outputDelta(itemId, delta)),
      terminalInteraction: (itemId, processId, stdin) =>
        tell(() => log.terminalInteraction(itemId, processId, stdin)),
      mcpProgress: (itemId, message) => tell(() => log.mcpProgress(itemId, message)),
    },
    release() {
      const reports = held ?? [];
      held = null;
      for (const report of reports) report();
    },
    discard() {
      isDiscarded = true;
      held = null;
    },
  };
}
