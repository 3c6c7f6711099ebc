/**
 * Keeps hooks from running what a confined command may have put in the place of what their user trusted. A hook runs
 * with the user's rights: the content of the files that it names belongs to its trust, as soon as it is first seen
 * with it.
 */
import type { ConfiguredHook } from "../configured-hook.ts";
import { whySkipped } from "../configured-hook.ts";
import type { FileDigests } from "./file-digests.ts";
import { type ContentVerdict, type Digest, judgeContent, type PinRecord } from "./judge-content.ts";
import { type NamedFiles, namedFiles } from "./named-files.ts";
import type { PinFile } from "./pin-file.ts";
import { describeRefusal } from "./refusal-text.ts";
import type { CommandPlace } from "./settle-variables.ts";

export interface HookPins {
  /** Pins what is seen for the first time. Null for a hook whose content is as it was; else why it does not run. */
  check(hook: ConfiguredHook, place: CommandPlace): Promise<string | null>;
  /** The same without pinning anything. */
  look(hook: ConfiguredHook, place: CommandPlace): Promise<PinnedContent>;
  /** Pins what somebody has looked at, whatever was pinned. False where that could not be kept. */
  renew(looked: readonly LookedAt[], isUnpinned: boolean): Promise<boolean>;
  /** The next sight of these hooks is the first. */
  forget(keys: readonly string[]): Promise<boolean>;
}

export interface LookedAt {
  readonly hook: ConfiguredHook;
  readonly content: Pick<PinnedContent, "files">;
}

export interface PinnedContent {
  /** Files that are part of its trust, because confined commands can write them or may once. */
  readonly files: readonly { readonly path: string; readonly digest: Digest }[];
  /** Those of which the content cannot be pinned: pipes, devices, files that are too large. */
  readonly odd: readonly string[];
  readonly isSandboxWritable: boolean;
  /** Why the text of its command does not settle what it runs. */
  readonly unsettled: string | null;
  readonly refusal: string | null;
}

export interface HookPinsOptions {
  readonly file: PinFile;
  readonly digests: FileDigests;
  readonly isSandboxWritable: (path: string) => boolean;
}

/** Believed in place of a file that cannot be understood: nothing was pinned, and it is not the first sight. */
const NOTHING_PINNED: PinRecord = { files: new Map(), isUnpinned: false };

export function createHookPins({ file, digests, isSandboxWritable }: HookPinsOptions): HookPins {
  /** What could not be written, as on a disk that is full; it holds for as long as the process. */
  const unwritten = new Map<string, PinRecord>();
  let writing: Promise<unknown> = Promise.resolve();

  function change(edit: (pins: Map<string, PinRecord>) => void): Promise<boolean> {
    const done = writing.then(() => file.change(edit)).catch(() => false);
    writing = done;
    return done;
  }

  function recordOf(hook: ConfiguredHook): PinRecord | null {
    const pins = file.read();
    const kept = pins === null ? NOTHING_PINNED : (pins.get(idOf(hook)) ?? null);
    const own = unwritten.get(idOf(hook));
    if (own === undefined) return kept;
    return kept === null ? own : withPins(kept, own.files);
  }

  async function keep(hook: ConfiguredHook, pins: ReadonlyMap<string, Digest>): Promise<void> {
    const id = idOf(hook);
    const isKept = await change((all) => all.set(id, withPins(all.get(id) ?? NOTHING_PINNED, pins)));
    if (!isKept) unwritten.set(id, withPins(unwritten.get(id) ?? NOTHING_PINNED, pins));
  }

  async function judge(
    hook: ConfiguredHook,
    place: CommandPlace,
  ): Promise<{ named: NamedFiles; verdict: ContentVerdict; record: PinRecord | null }> {
    const named = namedFiles(hook, place);
    const record = recordOf(hook);
    const { cwd } = place;
    const verdict = await judgeContent({ named, cwd, record, isSandboxWritable, digest: digests });
    return { named, verdict, record };
  }

  const toText = (hook: ConfiguredHook, verdict: ContentVerdict): string | null =>
    verdict.kind === "same" ? null : describeRefusal(hook, verdict, file.read() === null ? file.path : null);

  return {
    async check(hook, place) {
      if (whySkipped(hook) !== null) return null;
      const { named, verdict, record } = await judge(hook, place);
      // A hook that names nothing has nothing to lose, and is not written down.
      const isNew = record === null && named.files.length + named.guesses.length > 0;
      if (verdict.kind === "same" && (verdict.pins.size > 0 || isNew)) await keep(hook, verdict.pins);
      return toText(hook, verdict);
    },
    async look(hook, place) {
      const { named, verdict } = await judge(hook, place);
      const fresh = await judgeContent({
        named: { ...named, unsettled: null },
        cwd: place.cwd,
        record: null,
        isSandboxWritable,
        digest: digests,
      });
      const files = fresh.kind === "same" ? [...fresh.pins].map(([path, digest]) => ({ path, digest })) : [];
      const odd = fresh.kind === "changed" ? fresh.changes.map(({ path }) => path) : [];
      return {
        files,
        odd,
        isSandboxWritable: isSandboxWritable(place.cwd) || files.some(({ path }) => isSandboxWritable(path)),
        unsettled: named.unsettled,
        refusal: toText(hook, verdict),
      };
    },
    renew(looked, isUnpinned) {
      for (const { hook } of looked) unwritten.delete(idOf(hook));
      return change((pins) => {
        for (const { hook, content } of looked) {
          const fresh = new Map(content.files.map(({ path, digest }) => [path, digest]));
          pins.set(idOf(hook), { ...withPins(pins.get(idOf(hook)) ?? NOTHING_PINNED, fresh), isUnpinned });
        }
      });
    },
    forget(keys) {
      const isForgotten = (id: string) => keys.some((key) => id.startsWith(`${key}#sha256:`));
      for (const id of unwritten.keys()) if (isForgotten(id)) unwritten.delete(id);
      return change((pins) => {
        for (const id of pins.keys()) if (isForgotten(id)) pins.delete(id);
      });
    },
  };
}

/** A hook that was changed and trusted again is another one. */
function idOf({ key, currentHash }: ConfiguredHook): string {
  return `${key}#${currentHash}`;
}

function withPins(record: PinRecord, pins: ReadonlyMap<string, Digest>): PinRecord {
  return { ...record, files: new Map([...record.files, ...pins]) };
}
