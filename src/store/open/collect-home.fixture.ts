// A home with threads of any age, and the results of a collection.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { accepted, originWith, turnLines } from "../contract/store-harness.fixture.ts";
import { openFileStore } from "../files/open-file-store.ts";
import { fileText } from "../files/rollout/rollout.fixture.ts";
import { rolloutPath } from "../files/rollout/rollout-name.ts";
import type { LineBody } from "../lines/line.ts";
import { sessionMeta, type ThreadOrigin } from "../lines/thread-lines.ts";
import type { Store } from "../store.ts";
import { type Collection, type CollectOptions, collectHome } from "./collect-home.ts";

export const DAY_MS = 86_400_000;

export interface CollectedHome {
  readonly home: string;
  /** Opens a server's store on the home. */
  open(): Store;
  /** Creates a thread that was last active this many days ago. */
  make(days: number, how?: MakeOptions): Promise<string>;
  age(threadId: string, days: number): Promise<void>;
  /** Runs a collection at a later day. */
  collect(options?: Partial<CollectOptions> & { readonly inDays?: number }): Promise<Collection>;
  /** The action or the refusal for each affected thread. */
  outcomes(collection: Collection): Record<string, string>;
  /** All rollout files. */
  files(): string[];
}

export interface MakeOptions {
  readonly turns?: number;
  /** The parent thread, as the peer records it. */
  readonly parentId?: string;
}

export function createHome(): CollectedHome {
  const home = mkdtempSync(join(tmpdir(), "heddle-gc-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const createId = createUuidSource(systemClock);
  const options = { clock: systemClock, log: silentLogger, createId };
  const open = (): Store => {
    const store = openFileStore({ ...options, home });
    onTestFinished(() => store.close());
    return store;
  };

  async function age(threadId: string, days: number): Promise<void> {
    const at = Date.now() / 1000 - days * 86_400;
    for (const path of filesOf(home)) if (path.includes(threadId)) utimesSync(join(home, path), at, at);
  }

  return {
    home,
    open,
    age,
    files: () => filesOf(home),
    async make(days, { turns = 3, parentId } = {}) {
      const origin = originWith({ now: Date.now(), createId });
      const { threadId, createdAtMs } = origin;
      const { type, payload } = sessionMeta(origin);
      const first = { type, payload: { ...payload, parent_thread_id: parentId ?? null } } as LineBody;
      const said = Array.from({ length: turns }, (_, at) =>
        turnLines(threadId, `turn-${at}`, `say ${at}`, "done"),
      );
      const path = rolloutPath(home, { threadId, createdAtMs });
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, fileText([first, ...said.flat()]));
      await age(threadId, days);
      return threadId;
    },
    collect({ inDays = 0, limits = { maxAgeMs: 30 * DAY_MS, maxBytes: null }, ...others } = {}) {
      const clock: Clock = { ...systemClock, now: () => Date.now() + inDays * DAY_MS };
      return collectHome({ where: home, ...options, clock, limits, keepNamed: true, apply: true, ...others });
    },
    outcomes({ fates, applied }) {
      const left = new Map(applied.map((each) => [each.fate, each.left]));
      return Object.fromEntries(
        fates.map((fate) => {
          const why = left.get(fate) ?? null;
          return [fate.family.rootId, why ?? (fate.kind === "keep" ? fate.why : fate.kind)];
        }),
      );
    },
  };
}

/** The lines of a fork of the thread. */
export async function fork(
  store: Store,
  threadId: string,
  members: Partial<ThreadOrigin> = {},
): Promise<string> {
  const origin = originWith({ now: Date.now(), createId: createUuidSource(systemClock) }, members);
  const opened = accepted(await store.threads.fork(threadId, { kind: "whole" }, origin));
  await opened.journal.close();
  return origin.threadId;
}

export function contentOf(home: string, path: string): string {
  return readFileSync(join(home, path)).toString("base64");
}

export function filesOf(home: string): string[] {
  return ["sessions", "archived_sessions"].flatMap((folder) =>
    namesIn(join(home, folder)).map((name) => join(folder, name)),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.includes("rollout-"),
    );
  } catch {
    return [];
  }
}
