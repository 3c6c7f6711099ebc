/**
 * Prevents hooks from running content that a sandboxed command may have substituted for what the user
 * trusted. A hook runs with the user's rights: the content of the files that it names is part of its trust
 * from its first check on.
 */
import { printable } from "../../base/printable.ts";
import { findSkipReason } from "../config/skip-reason.ts";
import type { ConfiguredHook, HookHandler, HookRefusal } from "../configured-hook.ts";
import type { ExecEnv } from "./expand-variables.ts";
import type { FileDigests } from "./file-digests.ts";
import type { GitMachine } from "./git-files.ts";
import { createSubmoduleLookup } from "./git-index.ts";
import {
  type ContentChange,
  type ContentVerdict,
  type Digest,
  judgeContent,
  type PinRecord,
} from "./judge-content.ts";
import { type NamedFiles, namedFiles } from "./named-files.ts";
import type { PinFile } from "./pin-file.ts";
import { createPinRecords } from "./pin-records.ts";
import type { PrivateCopies } from "./private-copies.ts";
import { type RunnableHandler, withPrivateCopies } from "./run-copies.ts";

export interface HookPins {
  /** Pins content on first use. Scripts that sandboxed commands can write are replaced by private copies. */
  check(hook: ConfiguredHook, execEnv: ExecEnv): Promise<CheckedHandler>;
  /** The current state, without pinning anything. */
  inspect(hook: ConfiguredHook, execEnv: ExecEnv): Promise<PinnedContent>;
  /**
   * Pins content that the user has reviewed, whatever was pinned before. False where it could not be stored.
   */
  renew(reviewed: readonly ReviewedHook[], isUnpinned: boolean): Promise<boolean>;
  /** Makes the next check of these hooks their first one. */
  forget(keys: readonly string[]): Promise<boolean>;
}

export type CheckedHandler =
  /** The handler that runs exactly what was trusted. */
  | { readonly kind: "runnable"; readonly handler: HookHandler }
  | { readonly kind: "refused"; readonly refusal: HookRefusal };

export interface ReviewedHook {
  readonly hook: ConfiguredHook;
  readonly content: Pick<PinnedContent, "files">;
}

export interface PinnedContent {
  /** Files that are part of its trust, because sandboxed commands can write them now or later. */
  readonly files: readonly { readonly path: string; readonly digest: Digest }[];
  /** Files whose content cannot be pinned: pipes, devices, files that are too large. */
  readonly odd: readonly string[];
  readonly isSandboxWritable: boolean;
  /** Why the text of its command does not determine what it runs. */
  readonly unpinnable: string | null;
  readonly refusal: HookRefusal | null;
  /** The handler that would run. */
  readonly handler: HookHandler;
}

export interface HookPinsOptions {
  readonly file: PinFile;
  readonly digests: FileDigests;
  readonly copies: PrivateCopies;
  readonly isSandboxWritable: (path: string) => boolean;
}

export function createHookPins({ file, digests, copies, isSandboxWritable }: HookPinsOptions): HookPins {
  const machine: GitMachine = { isSandboxWritable, hasSubmodules: createSubmoduleLookup() };
  const records = createPinRecords(file);

  async function judge(hook: ConfiguredHook, execEnv: ExecEnv): Promise<Judgement> {
    const named = namedFiles(hook, execEnv, machine);
    const record = records.of(hook);
    const { cwd } = execEnv;
    const verdict = await judgeContent({ named, cwd, record, isSandboxWritable, digests });
    if (verdict.kind !== "same") return { named, record, verdict };
    const { pins, writable } = verdict;
    const prepared: RunnableHandler =
      record?.isUnpinned === true
        ? { kind: "runnable", handler: hook.handler }
        : await withPrivateCopies({ hook, execEnv, named, writable, machine, copies });
    return { named, record, verdict: prepared.kind === "runnable" ? { ...prepared, pins } : prepared };
  }

  function toRefusal(hook: ConfiguredHook, verdict: Refused, record: PinRecord | null): HookRefusal {
    const message = describeRefusal(hook, verdict, records.brokenFile());
    // A hook that was pinnable before has been modified.
    const kind = verdict.kind === "changed" || record?.isPinnable === true ? "changed" : "unpinnable";
    return { kind, message };
  }

  return {
    async check(hook, execEnv) {
      const { handler } = hook;
      if (findSkipReason(hook) !== null) return { kind: "runnable", handler };
      const { named, verdict, record } = await judge(hook, execEnv);
      if (verdict.kind !== "runnable") return { kind: "refused", refusal: toRefusal(hook, verdict, record) };
      const isPinnable = named.unpinnable === null;
      // A hook that names no file needs no record.
      const isNew =
        named.files.length + named.guesses.length > 0 &&
        (record === null || (isPinnable && !record.isPinnable && !record.isUnpinned));
      if (verdict.pins.size > 0 || isNew) await records.add(hook, verdict.pins, { isPinnable });
      return { kind: "runnable", handler: verdict.handler };
    },
    async inspect(hook, execEnv) {
      const { named, record, verdict } = await judge(hook, execEnv);
      const fresh = await judgeContent({
        named: { ...named, unpinnable: null },
        cwd: execEnv.cwd,
        record: null,
        isSandboxWritable,
        digests,
      });
      const files = fresh.kind === "same" ? [...fresh.pins].map(([path, digest]) => ({ path, digest })) : [];
      const odd = fresh.kind === "changed" ? fresh.changes.map(({ path }) => path) : [];
      return {
        files,
        odd,
        isSandboxWritable:
          isSandboxWritable(execEnv.cwd) || files.some(({ path }) => isSandboxWritable(path)),
        unpinnable: named.unpinnable,
        ...(verdict.kind === "runnable"
          ? { refusal: null, handler: verdict.handler }
          : { refusal: toRefusal(hook, verdict, record), handler: hook.handler }),
      };
    },
    renew: (reviewed, isUnpinned) =>
      records.renew(
        reviewed.map(({ hook, content }) => ({
          hook,
          pins: new Map(content.files.map(({ path, digest }) => [path, digest])),
        })),
        { isUnpinned },
      ),
    forget: records.forget,
  };
}

type Refused = Exclude<RunnableHandler, { kind: "runnable" }>;

interface Judgement {
  readonly named: NamedFiles;
  readonly record: PinRecord | null;
  readonly verdict:
    | Refused
    | {
        readonly kind: "runnable";
        readonly handler: HookHandler;
        readonly pins: ReadonlyMap<string, Digest>;
      };
}

const CHANGES: Readonly<Record<ContentChange["change"], string>> = {
  changed: "has changed since it was trusted",
  added: "did not exist when it was trusted, or was never checked",
  vanished: "is missing",
  odd: "is not a regular file that can be read",
};

const MAX_LISTED = 5;

/**
 * The message for a trusted hook that does not run, with the command that resolves it. `brokenFile` is the path of a
 * pin file that cannot be parsed.
 */
function describeRefusal(
  { key, isManaged }: Pick<ConfiguredHook, "key" | "isManaged">,
  verdict: Exclude<ContentVerdict, { kind: "same" }>,
  brokenFile: string | null,
): string {
  const name = `hook ${key} does not run:`;
  const command = `heddle hooks trust${verdict.kind === "unpinnable" ? " --unpinned" : ""} ${quote(key)}`;
  if (brokenFile !== null) {
    return `${name} ${brokenFile} cannot be read, so that the trusted content is unknown. Remove it, review the hook's files, and trust them with \`${command}\`.`;
  }
  if (verdict.kind === "unpinnable") {
    return `${name} sandboxed commands can write where it runs, and its command does not determine which files it runs: ${verdict.reason}. Let it run within the sandbox with \`sandbox = true\`, call a program of your own outside of the workspace by its absolute path, or trust it as it is with \`${command}\`.`;
  }
  const listed = verdict.changes
    .slice(0, MAX_LISTED)
    .map(({ path, change }) => `${printable(path)} ${CHANGES[change]}`);
  const more = verdict.changes.length - listed.length;
  const what = `${listed.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  const who = isManaged
    ? "Sandboxed commands can write it; until then the hook counts as failed."
    : "Sandboxed commands can write it.";
  return `${name} ${what}. ${who} Review it, and then trust it with \`${command}\`.`;
}

function quote(key: string): string {
  return /^[\w./:@%+=,-]+$/.test(key) ? key : `'${key.replaceAll("'", `'\\''`)}'`;
}
