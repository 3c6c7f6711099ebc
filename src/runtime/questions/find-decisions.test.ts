import { expect, test } from "vitest";
import type { DecisionQuery, StoredDecision } from "../../store/decisions.ts";
import { type DecisionSearch, findDecisions } from "./find-decisions.ts";

const COUNT = 2100;

/** Every seventh is denied by a client, every hundredth is open. */
const log: readonly StoredDecision[] = Array.from({ length: COUNT }, (_, at) => {
  const number = COUNT - at;
  const base = { number, threadId: "t", turnId: "turn", itemId: `${number}`, atMs: number * 1000 };
  const subject = { kind: "command", argv: ["make", `target-${number}`], cwd: "/p" } as const;
  if (number % 100 === 0) return { ...base, subject, verdict: null };
  const verdict =
    number % 7 === 0
      ? ({ outcome: "denied", by: { kind: "client", name: "Phone" }, reason: "too risky" } as const)
      : ({ outcome: "approved", by: { kind: "policy" }, reason: null } as const);
  return { ...base, subject, verdict: { ...verdict, atMs: number * 1000 } };
});

const list = async ({ before = Infinity, limit }: DecisionQuery) =>
  log.filter(({ number }) => number < before).slice(0, limit);

async function search(filter: Omit<DecisionSearch, "limit">, limit = 5000): Promise<number[]> {
  return (await findDecisions(list, { ...filter, limit })).data.map(({ number }) => number);
}

test("the whole log is searched, in slices", async () => {
  expect(await search({})).toEqual(log.map(({ number }) => number));
  expect(await search({ outcome: "open" })).toHaveLength(21);
  expect(await search({ by: "client", outcome: "denied" })).toHaveLength(297);
  expect(await search({ text: "TARGET-12 " })).toEqual([]);
  expect(await search({ text: "Target-2099" })).toEqual([2099]);
  expect(await search({ text: "phone" })).toHaveLength(297);
  expect(await search({ text: "risky", outcome: "approved" })).toEqual([]);
  expect(await search({ sinceMs: 5000, untilMs: 7000 })).toEqual([6, 5]);
  expect(await search({ kind: "mcpTool" })).toEqual([]);
});

test("pages are full, and follow each other without a gap", async () => {
  const all = await search({ by: "client" });
  const found: number[] = [];
  let before: number | null = null;
  for (;;) {
    const page = await findDecisions(list, { by: "client", before, limit: 100 });
    found.push(...page.data.map(({ number }) => number));
    expect(page.data).toHaveLength(page.hasMore ? 100 : 97);
    if (!page.hasMore) break;
    before = found.at(-1) ?? null;
  }
  expect(found).toEqual(all);
});
