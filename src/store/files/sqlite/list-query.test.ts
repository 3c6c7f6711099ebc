import { expect, onTestFinished, test } from "vitest";
import type { ThreadQuery } from "../../pages/thread-list.ts";
import type { ThreadOrder } from "../../thread-store.ts";
import { openDatabase } from "./driver.ts";
import { buildListQuery } from "./list-query.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";

function planOf(query: Partial<ThreadQuery>): string[] {
  const database = openDatabase(":memory:");
  onTestFinished(() => database.close());
  migrate(database, migrations, "test");
  const shared = { order: "created_at", direction: "desc", from: null, limit: 50, archived: false } as const;
  const { sql, values } = buildListQuery({ ...shared, ...query });
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return rows.map((row) => (row as { detail: string }).detail);
}

const from = { value: 3, id: "a", inclusive: false };
const orders: readonly ThreadOrder[] = ["created_at", "updated_at", "recency_at"];

test.each(orders)("a page by %s is read along an index, without sorting", (order) => {
  const filters: Partial<ThreadQuery>[] = [
    {},
    { from },
    { from, direction: "asc" },
    { archived: true },
    { sourceKinds: ["cli", "vscode"], from },
    { sourceKinds: ["exec"] },
    { cwds: ["/repo"], sourceKinds: ["cli", "vscode"] },
    { modelProviders: ["mock"], sourceKinds: ["cli", "vscode"], from },
    { searchTerm: "x" },
  ];
  for (const filter of filters) {
    const plan = planOf({ ...filter, order });
    expect(plan.filter((step) => !step.startsWith("SEARCH"))).toEqual([]);
  }
});

test("threads of one parent, ancestor or project are found by it, and then sorted", () => {
  const first = (query: Partial<ThreadQuery>) => planOf(query).find((step) => step.startsWith("SEARCH"));
  expect([
    first({ parentThreadId: "a" }),
    first({ ancestorThreadId: "a" }),
    first({ projectId: "a" }),
  ]).toEqual([
    "SEARCH r USING INDEX rollouts_parent (parent_thread_id=?)",
    "SEARCH r USING INDEX rollouts_thread (thread_id=?)",
    "SEARCH d USING INDEX thread_details_project (project_id=?)",
  ]);
});
