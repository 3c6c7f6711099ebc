import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../base/property-runs.fixture.ts";
import { turnLines } from "../../contract/store-harness.fixture.ts";
import type { LineBody } from "../../lines/line.ts";
import type { ThreadOrder } from "../../thread-store.ts";
import type { HistoryIndex } from "../index/history-index.ts";
import { fileText, meta } from "../rollout/rollout.fixture.ts";
import { archivedFolder, rolloutPath } from "../rollout/rollout-name.ts";
import { createMemoryIndex } from "../sqlite/memory-index.fixture.ts";
import type { FileThreadStore } from "./file-thread-store.ts";
import { createHistoryHarness, type HistoryHarness, START, sqliteIndex } from "./history.fixture.ts";

/** A thread as another program leaves it; small numbers make many of them share a time or a folder. */
interface Made {
  readonly created: number;
  readonly updated: number;
  readonly cwd: number;
  readonly kind: "shown" | "silent" | "archived" | "exec" | "reverted" | "misdated" | "twice";
}

interface Thread extends Made {
  readonly id: string;
  readonly paths: readonly string[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

type Step =
  | { readonly kind: "page"; readonly limit: number }
  | { readonly kind: "turns"; readonly count: number }
  | { readonly kind: "make"; readonly made: Made }
  | { readonly kind: "lose"; readonly duringPage: boolean; readonly turns: number }
  | { readonly kind: "archive" | "remove"; readonly which: number };

const made = fc.record<Made>({
  created: fc.integer({ min: 0, max: 40 }),
  updated: fc.integer({ min: 0, max: 6 }),
  cwd: fc.integer({ min: 0, max: 2 }),
  kind: fc.constantFrom(
    "shown",
    "shown",
    "shown",
    "silent",
    "archived",
    "exec",
    "reverted",
    "misdated",
    "twice",
  ),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("page" as const), limit: fc.integer({ min: 1, max: 7 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("turns" as const), count: fc.integer({ min: 0, max: 12 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("make" as const), made }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("lose" as const),
      duringPage: fc.boolean(),
      turns: fc.integer({ min: 0, max: 15 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("archive" as const, "remove" as const),
      which: fc.integer({ min: 0, max: 40 }),
    }),
  },
);

const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
const question = fc.record({
  order: fc.constantFrom<ThreadOrder>("created_at", "created_at", "updated_at", "recency_at"),
  direction: fc.constantFrom("asc" as const, "desc" as const),
  archived: rarely(fc.constant(true)).map((archived) => archived ?? false),
  cwd: rarely(fc.integer({ min: 0, max: 2 })),
  exec: rarely(fc.constant(true)).map((exec) => exec ?? false),
  term: rarely(fc.constantFrom("say 1", "nobody said this")),
});
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

/** Half a day, so that neighbouring days and time zones matter. */
const APART_MS = 12 * 3_600_000;

function createWriter(harness: HistoryHarness) {
  const { home } = harness;
  let count = 0;

  function put(path: string, lines: readonly LineBody[], updatedAtMs: number): string {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, fileText(lines));
    utimesSync(path, updatedAtMs / 1000, updatedAtMs / 1000);
    return path;
  }

  function make(each: Made): Thread {
    const { kind } = each;
    const namedAtMs = START - 40 * APART_MS + each.created * APART_MS;
    // Names have whole seconds, and files may be slightly newer than their content.
    const createdAtMs = namedAtMs + each.updated * 1400;
    const updatedAtMs = START + each.updated * 1000;
    const time = namedAtMs.toString(16).padStart(12, "0");
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${(++count).toString(16).padStart(12, "0")}`;
    const told = kind === "misdated" ? START + 90 * APART_MS : createdAtMs;
    const source = kind === "exec" ? ("exec" as const) : ("vscode" as const);
    const first = meta({ threadId: id, createdAtMs: told, cwd: `/repo/${each.cwd}`, source });
    const said = turnLines(id, "t1", `say ${each.cwd}`, "did");
    const lines = kind === "silent" ? [first] : [first, ...said];
    const own = rolloutPath(home, { threadId: id, createdAtMs: namedAtMs });
    const path = kind === "archived" ? join(archivedFolder(home), basename(own)) : own;
    const paths = [put(path, lines, kind === "reverted" ? START - 1 : updatedAtMs)];
    if (kind === "twice") {
      paths.push(
        put(rolloutPath(home, { threadId: id, createdAtMs: namedAtMs - APART_MS }), lines, START - 2),
      );
    }
    if (kind === "reverted") {
      const rolloutId = `ffffffff-0000-7000-8000-${count.toString(16).padStart(12, "0")}`;
      const base = {
        thread_id: id,
        end_ordinal_exclusive: 3,
        end_byte_offset: fileText(lines.slice(0, 3)).length,
      };
      const payload = { ...first.payload, history_base: base } as typeof first.payload;
      const again = rolloutPath(home, { threadId: id, createdAtMs: START, rolloutId });
      paths.push(put(again, [{ ...first, payload } as LineBody], updatedAtMs));
    }
    return { ...each, id, paths, createdAtMs: kind === "misdated" ? namedAtMs : createdAtMs, updatedAtMs };
  }

  return { make };
}

function isWanted({ kind, cwd }: Thread, { archived, exec, cwd: wantedCwd, term }: Question): boolean {
  return (
    kind !== "silent" &&
    (kind === "archived") === archived &&
    (!exec || kind === "exec") &&
    (wantedCwd === null || cwd === wantedCwd) &&
    (term === null || `say ${cwd}`.includes(term))
  );
}

function inOrder(threads: readonly Thread[], { order, direction }: Question): string[] {
  const sign = direction === "asc" ? 1 : -1;
  const key = (thread: Thread) => (order === "created_at" ? thread.createdAtMs : thread.updatedAtMs);
  return threads
    .toSorted((one, other) => sign * (key(one) - key(other) || (one.id < other.id ? -1 : 1)))
    .map(({ id }) => id);
}

function takeAway({ home }: HistoryHarness, { paths }: Thread, kind: "archive" | "remove"): void {
  for (const path of paths) {
    if (kind === "remove") rmSync(path, { force: true });
    else if (existsSync(path)) {
      mkdirSync(archivedFolder(home), { recursive: true });
      renameSync(path, join(archivedFolder(home), basename(path)));
    }
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => void setImmediate(done));
}

async function page(history: FileThreadStore, wanted: Question, cursor: string | null, limit: number) {
  const { order, direction, archived, cwd, exec, term } = wanted;
  const found = await history.list({
    order,
    direction,
    archived,
    cursor,
    limit,
    cwds: cwd === null ? null : [`/repo/${cwd}`],
    sourceKinds: exec ? ["exec"] : null,
    searchTerm: term,
  });
  if (found.kind === "refused") throw new Error(found.message);
  return found;
}

/** An index on another machine, whose answers are slightly stale on arrival. */
function slowIndex(): HistoryIndex {
  const index = createMemoryIndex();
  return {
    ...index,
    async list(query) {
      const entries = await index.list(query);
      await turns(2);
      return entries;
    },
  };
}

const kinds: readonly (readonly [string, (home: string) => HistoryIndex])[] = [
  ["slow", slowIndex],
  ["SQLite", sqliteIndex],
];

describe.each(kinds)("a listing from a %s index that is being filled", (name, openIndex) => {
  test("holds every thread once and in order, and ends only at its end", async () => {
    const run = async (
      before: readonly Made[],
      steps: readonly Step[],
      wanted: Question,
      { fillStep, servers }: { readonly fillStep: number; readonly servers: number },
    ): Promise<void> => {
      const harness = createHistoryHarness();
      const { make } = createWriter(harness);
      const threads = new Map(before.map(make).map((thread) => [thread.id, thread]));
      const histories = Array.from({ length: servers }, () =>
        harness.open({ index: openIndex(harness.home), fillStep }),
      );
      const later = new Set<string>();
      const seen: string[] = [];
      let cursor: string | null = null;
      let asked = 0;
      /** False if there is no further page. */
      const turnPage = async (limit: number): Promise<boolean> => {
        if (asked > 0 && cursor === null) return false;
        // Pages of one list may come from several servers on the home.
        const history = histories[asked++ % servers] as FileThreadStore;
        const found = await page(history, wanted, cursor, limit);
        expect(found.data.length === limit || found.nextCursor === null).toBe(true);
        seen.push(...found.data.map(({ threadId }) => threadId));
        cursor = found.nextCursor;
        return true;
      };
      for (const each of steps) {
        if (each.kind === "page") {
          await turnPage(each.limit);
        } else if (each.kind === "turns") {
          await turns(each.count);
        } else if (each.kind === "make") {
          later.add(make(each.made).id);
        } else if (each.kind === "lose") {
          const asking = each.duringPage ? turnPage(4) : null;
          await turns(each.turns);
          if (name === "SQLite") rmSync(join(harness.home, "heddle.sqlite"), { force: true });
          await asking;
        } else {
          const thread = [...threads.values()][each.which];
          if (thread !== undefined) takeAway(harness, thread, each.kind);
          threads.delete(thread?.id ?? "");
          later.add(thread?.id ?? "");
        }
      }
      while (await turnPage(3));
      const expected = inOrder(
        [...threads.values()].filter((thread) => isWanted(thread, wanted)),
        wanted,
      );
      expect(seen.filter((id) => !later.has(id))).toEqual(expected);
      expect(new Set(seen).size).toBe(seen.length);
      for (const history of histories) await history.close();
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(made, { maxLength: 30 }),
        fc.array(step, { maxLength: 14 }),
        question,
        fc.record({ fillStep: fc.integer({ min: 1, max: 5 }), servers: fc.integer({ min: 1, max: 2 }) }),
        run,
      ),
      propertyRuns(40),
    );
  }, 60_000);
});
