/**
 * Keeps hooks from running what a confined command may have put in the place of what their user trusted. A hook runs
 * with the user's rights: the content of the files that it names belongs to its trust, as soon as it is first seen
 * with it.
 */
import type { ConfiguredHook, HookHandler, HookRefusal } from "../configured-hook.ts";
import { whySkipped } from "../configured-hook.ts";
import type { FileDigests } from "./file-digests.ts";
import type { GitMachine } from "./git-files.ts";
import { createSubmoduleLookup } from "./git-index.ts";
import { type ContentVerdict, type Digest, judgeContent, type PinRecord } from "./judge-content.ts";
import { type NamedFiles, namedFiles } from "./named-files.ts";
import type { PinFile } from "./pin-file.ts";
import type { PrivateCopies } from "./private-copies.ts";
import { describeRefusal } from "./refusal-text.ts";
import { type RunnableHandler, withPrivateCopies } from "./run-copies.ts";
import type { CommandPlace } from "./settle-variables.ts";

export interface HookPins {
  /** Pins what is seen for the first time. Scripts that confined commands can write are replaced by private copies. */
  check(hook: ConfiguredHook, place: CommandPlace): Promise<CheckedHandler>;
  /** What is known of it, without pinning anything. */
  look(hook: ConfiguredHook, place: CommandPlace): Promise<PinnedContent>;
  /** Pins what somebody has looked at, whatever was pinned. False where that could not be kept. */
  renew(looked: readonly LookedAt[], isUnpinned: boolean): Promise<boolean>;
  /** The next sight of these hooks is the first. */
  forget(keys: readonly string[]): Promise<boolean>;
}

export type CheckedHandler =
  /** What runs exactly what was trusted. */
  | { readonly kind: "runnable"; readonly handler: HookHandler }
  | { readonly kind: "refused"; readonly refusal: HookRefusal };

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
  readonly refusal: HookRefusal | null;
  /** What would run. */
  readonly handler: HookHandler;
}

export interface HookPinsOptions {
  readonly file: PinFile;
  readonly digests: FileDigests;
  readonly copies: PrivateCopies;
  readonly isSandboxWritable: (path: string) => boolean;
}

/** Believed in place of a file that cannot be understood: nothing was pinned, and it is not the first sight. */
const NOTHING_PINNED: PinRecord = { files: new Map(), isUnpinned: false, isSettled: false };

export function createHookPins({ file, digests, copies, isSandboxWritable }: HookPinsOptions): HookPins {
  const machine: GitMachine = { isSandboxWritable, hasSubmodules: createSubmoduleLookup() };
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
    return kept === null ? own : { ...withPins(kept, own.files), isSettled: kept.isSettled || own.isSettled };
  }

  async function keep(
    hook: ConfiguredHook,
    pins: ReadonlyMap<string, Digest>,
    isSettled: boolean,
  ): Promise<void> {
    const id = idOf(hook);
    const added = (to: PinRecord = NOTHING_PINNED): PinRecord => ({
      ...withPins(to, pins),
      isSettled: to.isSettled || isSettled,
    });
    const isKept = await change((all) => all.set(id, added(all.get(id))));
    if (!isKept) unwritten.set(id, added(unwritten.get(id)));
  }

  async function judge(hook: ConfiguredHook, place: CommandPlace): Promise<Judgement> {
    const named = namedFiles(hook, place, machine);
    const record = recordOf(hook);
    const { cwd } = place;
    const verdict = await judgeContent({ named, cwd, record, isSandboxWritable, digests });
    return { named, verdict, record };
  }

  function toRefusal(
    hook: ConfiguredHook,
    verdict: Exclude<ContentVerdict, { kind: "same" }>,
    record: PinRecord | null,
  ): HookRefusal {
    const message = describeRefusal(hook, verdict, file.read() === null ? file.path : null);
    // What was settled once was changed by somebody.
    const kind = verdict.kind === "changed" || record?.isSettled === true ? "changed" : "unsettled";
    return { kind, message };
  }

  /** With scripts that confined commands can write replaced by copies, where what was trusted is still there. */
  async function prepare(
    hook: ConfiguredHook,
    place: CommandPlace,
    { named, verdict, record }: Judgement,
  ): Promise<RunnableHandler | Exclude<ContentVerdict, { kind: "same" }>> {
    if (verdict.kind !== "same") return verdict;
    if (record?.isUnpinned === true) return { kind: "runnable", handler: hook.handler };
    return withPrivateCopies({ hook, place, named, writable: verdict.writable, machine, copies });
  }

  return {
    async check(hook, place) {
      if (whySkipped(hook) !== null) return { kind: "runnable", handler: hook.handler };
      const judged = await judge(hook, place);
      const { named, verdict, record } = judged;
      const prepared = await prepare(hook, place, judged);
      if (prepared.kind !== "runnable")
        return { kind: "refused", refusal: toRefusal(hook, prepared, record) };
      const isSettled = named.unsettled === null;
      // A hook that names nothing has nothing to lose, and is not written down.
      const isNew =
        named.files.length + named.guesses.length > 0 &&
        (record === null || (isSettled && !record.isSettled && !record.isUnpinned));
      const pins = verdict.kind === "same" ? verdict.pins : new Map<string, Digest>();
      if (pins.size > 0 || isNew) await keep(hook, pins, isSettled);
      return prepared;
    },
    async look(hook, place) {
      const judged = await judge(hook, place);
      const { named, record } = judged;
      const prepared = await prepare(hook, place, judged);
      const fresh = await judgeContent({
        named: { ...named, unsettled: null },
        cwd: place.cwd,
        record: null,
        isSandboxWritable,
        digests,
      });
      const files = fresh.kind === "same" ? [...fresh.pins].map(([path, digest]) => ({ path, digest })) : [];
      const odd = fresh.kind === "changed" ? fresh.changes.map(({ path }) => path) : [];
      return {
        files,
        odd,
        isSandboxWritable: isSandboxWritable(place.cwd) || files.some(({ path }) => isSandboxWritable(path)),
        unsettled: named.unsettled,
        ...(prepared.kind === "runnable"
          ? { refusal: null, handler: prepared.handler }
          : { refusal: toRefusal(hook, prepared, record), handler: hook.handler }),
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

interface Judgement {
  readonly named: NamedFiles;
  readonly verdict: ContentVerdict;
  readonly record: PinRecord | null;
}

/** A hook that was changed and trusted again is another one. */
function idOf({ key, currentHash }: ConfiguredHook): string {
  return `${key}#${currentHash}`;
}

function withPins(record: PinRecord, pins: ReadonlyMap<string, Digest>): PinRecord {
  return { ...record, files: new Map([...record.files, ...pins]) };
}
