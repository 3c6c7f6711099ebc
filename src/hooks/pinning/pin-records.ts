/** The pin records of all hooks: stored in the file, or in memory where the file cannot be written. */
import type { ConfiguredHook } from "../configured-hook.ts";
import type { Digest, PinRecord } from "./judge-content.ts";
import type { PinFile } from "./pin-file.ts";

export interface PinRecords {
  /** Null on the first check of a hook. */
  of(hook: ConfiguredHook): PinRecord | null;
  add(
    hook: ConfiguredHook,
    pins: ReadonlyMap<string, Digest>,
    more: Pick<PinRecord, "isPinnable">,
  ): Promise<void>;
  /** Replaces earlier pins. False where they could not be stored. */
  renew(
    renewed: readonly { readonly hook: ConfiguredHook; readonly pins: ReadonlyMap<string, Digest> }[],
    more: Pick<PinRecord, "isUnpinned">,
  ): Promise<boolean>;
  forget(keys: readonly string[]): Promise<boolean>;
  /** The path of the file, where it exists and cannot be parsed. */
  brokenFile(): string | null;
}

/** Used in place of a file that cannot be parsed: nothing is pinned, and it is not a first check. */
const NOTHING_PINNED: PinRecord = { files: new Map(), isUnpinned: false, isPinnable: false };

export function createPinRecords(file: PinFile): PinRecords {
  /**
   * Records that could not be written, for example on a full disk; retained for the lifetime of the process.
   */
  const unwritten = new Map<string, PinRecord>();
  let writing: Promise<unknown> = Promise.resolve();

  function change(edit: (pins: Map<string, PinRecord>) => void): Promise<boolean> {
    const done = writing.then(() => file.change(edit)).catch(() => false);
    writing = done;
    return done;
  }

  return {
    of(hook) {
      const pins = file.read();
      const kept = pins === null ? NOTHING_PINNED : (pins.get(idOf(hook)) ?? null);
      const own = unwritten.get(idOf(hook));
      if (own === undefined) return kept;
      return kept === null
        ? own
        : { ...withPins(kept, own.files), isPinnable: kept.isPinnable || own.isPinnable };
    },
    async add(hook, pins, { isPinnable }) {
      const id = idOf(hook);
      const added = (to: PinRecord = NOTHING_PINNED): PinRecord => ({
        ...withPins(to, pins),
        isPinnable: to.isPinnable || isPinnable,
      });
      const isKept = await change((all) => all.set(id, added(all.get(id))));
      if (!isKept) unwritten.set(id, added(unwritten.get(id)));
    },
    renew(renewed, { isUnpinned }) {
      for (const { hook } of renewed) unwritten.delete(idOf(hook));
      return change((all) => {
        for (const { hook, pins } of renewed)
          all.set(idOf(hook), { ...withPins(all.get(idOf(hook)) ?? NOTHING_PINNED, pins), isUnpinned });
      });
    },
    forget(keys) {
      const isForgotten = (id: string) => keys.some((key) => id.startsWith(`${key}#sha256:`));
      for (const id of unwritten.keys()) if (isForgotten(id)) unwritten.delete(id);
      return change((pins) => {
        for (const id of pins.keys()) if (isForgotten(id)) pins.delete(id);
      });
    },
    brokenFile: () => (file.read() === null ? file.path : null),
  };
}

/** A hook that was changed and trusted again has another id. */
function idOf({ key, currentHash }: ConfiguredHook): string {
  return `${key}#${currentHash}`;
}

function withPins(record: PinRecord, pins: ReadonlyMap<string, Digest>): PinRecord {
  return { ...record, files: new Map([...record.files, ...pins]) };
}
