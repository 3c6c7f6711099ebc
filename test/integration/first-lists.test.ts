/** Lists and searches on a home without an index: a first start, or a lost index. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RpcClient } from "../support/rpc-client.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import { idAt, putRollout, rolloutFile, type StoredRollout } from "../support/stored-rollouts.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const NEWEST = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;
const LONG = { milliseconds: 60_000 };

type Listing = { readonly ids: string[]; readonly pages: number[] };
type Answer = { readonly data: readonly { readonly id: string }[]; readonly nextCursor: string | null };
type Found = { readonly data: readonly { readonly thread: { readonly id: string } }[] };

async function createHome(): Promise<TempHome> {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  return home;
}

/** Threads an hour apart, newest first. */
function fill(
  { home }: TempHome,
  count: number,
  more: (at: number) => Partial<StoredRollout> = () => ({}),
): string[] {
  return Array.from({ length: count }, (_, at) => {
    const createdAtMs = NEWEST - at * HOUR;
    const id = idAt(createdAtMs, at);
    putRollout(home, { id, createdAtMs, ...more(at) });
    return id;
  });
}

async function connect(home: TempHome): Promise<{ server: RunningServer; client: RpcClient }> {
  const server = await startServer({ home });
  onTestFinished(async () => void (await server.stop()));
  const client = await server.connect();
  await client.result("initialize", {
    clientInfo: { name: "lists", title: null, version: "1" },
    capabilities: { experimentalApi: true },
  });
  return { server, client };
}

async function listAll(client: RpcClient, params: object): Promise<Listing> {
  const ids: string[] = [];
  const pages: number[] = [];
  let cursor: string | null = null;
  do {
    const page = (await client.result(
      "thread/list",
      { modelProviders: [], ...params, cursor },
      LONG,
    )) as Answer;
    ids.push(...page.data.map(({ id }) => id));
    pages.push(page.data.length);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { ids, pages };
}

describe("the first list of a home", () => {
  test("goes on to the oldest thread, page by page, in every order", async () => {
    const orders = [
      { sortKey: "created_at" },
      { sortKey: "created_at", sortDirection: "asc" },
      { sortKey: "updated_at" },
      { sortKey: "recency_at", sortDirection: "asc" },
    ];
    for (const order of orders) {
      const home = await createHome();
      // The oldest files were modified last.
      const isTurned = order.sortKey !== "created_at";
      const ids = fill(home, 300, (at) => (isTurned ? { updatedAtMs: NEWEST + at * 1000 } : {}));
      const { client } = await connect(home);
      const listing = await listAll(client, { limit: 50, ...order });
      const isOldestFirst = isTurned !== (order.sortDirection === "asc");
      const wanted = isOldestFirst ? ids.toReversed() : ids;
      expect([order, listing]).toEqual([order, { ids: wanted, pages: Array<number>(6).fill(50) }]);
    }
  });

  test("fills the page that was asked for, and names the next", async () => {
    const home = await createHome();
    const ids = fill(home, 130);
    const { client } = await connect(home);
    expect(await listAll(client, { limit: 200 })).toEqual({ ids, pages: [100, 30] });
  });

  test("waits for what its filters let through", async () => {
    const home = await createHome();
    const ids = fill(home, 400, (at) => ({
      ...(at === 377 ? { cwd: "/old/place", text: "the old needle" } : {}),
      ...(at === 390 ? { source: "exec" } : {}),
      ...(at === 391 ? { archived: true } : {}),
      ...(at === 392 ? { provider: "elsewhere" } : {}),
      ...(at === 393 ? { meta: { parent_thread_id: idAt(NEWEST, 0) } } : {}),
    }));
    const cases: readonly (readonly [object, number])[] = [
      [{ cwd: "/old/place" }, 377],
      [{ searchTerm: "old needle" }, 377],
      [{ sourceKinds: ["exec"] }, 390],
      [{ archived: true }, 391],
      [{ modelProviders: ["elsewhere"] }, 392],
      [{ parentThreadId: ids[0] }, 393],
      [{ ancestorThreadId: ids[0], sortKey: "updated_at" }, 393],
    ];
    for (const [params, at] of cases) {
      rmSync(join(home.home, "heddle.sqlite"), { force: true });
      const { server, client } = await connect(home);
      expect([params, await listAll(client, { limit: 5, ...params })]).toEqual([
        params,
        { ids: [ids[at]], pages: [1] },
      ]);
      await server.stop();
    }
  });

  test("is searched to its oldest thread", async () => {
    const home = await createHome();
    const ids = fill(home, 300, (at) => (at % 100 === 99 ? { text: `a needle ${at}` } : {}));
    const { client } = await connect(home);
    const { data } = (await client.result("thread/search", { searchTerm: "NEEDLE" }, LONG)) as Found;
    expect(data.map(({ thread }) => thread.id)).toEqual([ids[99], ids[199], ids[299]]);
  });

  test("is as whole after the index was removed under the server, and for a second server", async () => {
    const home = await createHome();
    const ids = fill(home, 300);
    const [one, other] = [await connect(home), await connect(home)];
    const whole = { ids, pages: [100, 100, 100] };
    expect(await Promise.all([one, other].map(({ client }) => listAll(client, { limit: 100 })))).toEqual([
      whole,
      whole,
    ]);
    rmSync(join(home.home, "heddle.sqlite"));
    expect(await Promise.all([other, one].map(({ client }) => listAll(client, { limit: 100 })))).toEqual([
      whole,
      whole,
    ]);
  });

  test("goes on after a kill in the middle of it", async () => {
    const home = await createHome();
    const ids = fill(home, 1000);
    const { server, client } = await connect(home);
    await client.result("thread/list", { limit: 1 }, LONG);
    await server.stop();
    const again = await connect(home);
    expect((await listAll(again.client, { limit: 100 })).ids).toEqual(ids);
  });

  test("passes over what is no readable file", async () => {
    const home = await createHome();
    const ids = fill(home, 120);
    const odd = (number: number) =>
      rolloutFile(home.home, { id: idAt(NEWEST + number, 5000 + number), createdAtMs: NEWEST + number });
    mkdirSync(odd(1), { recursive: true });
    execFileSync("mkfifo", [odd(2)]);
    writeFileSync(odd(3), "");
    writeFileSync(odd(4), '{"torn');
    symlinkSync("/nowhere", odd(5));
    symlinkSync("/dev/zero", odd(6));
    writeFileSync(`${odd(7)}.zst`, "not compressed at all");
    symlinkSync(dirname(odd(1)), join(home.home, "archived_sessions"));
    const { client } = await connect(home);
    expect((await listAll(client, { limit: 100 })).ids).toEqual(ids);
  });

  test("does not keep a thread waiting that is asked for by its id", async () => {
    const home = await createHome();
    const ids = fill(home, 1500);
    const { client } = await connect(home);
    const list = client.send("thread/list", { cwd: "/nowhere", modelProviders: [] });
    const read = await client.result("thread/read", { threadId: ids[1499] });
    expect(read).toMatchObject({ thread: { id: ids[1499], preview: `about ${ids[1499]}` } });
    expect(client.received.some(({ method }) => method === "thread/list")).toBe(false);
    expect(await client.response(list, 60_000)).toMatchObject({ result: { data: [], nextCursor: null } });
  });
});

test("archiving takes along the threads that the index did not know yet", async () => {
  const home = await createHome();
  const ids = fill(home, 300, (at) =>
    at === 299 ? { source: "cli", meta: { parent_thread_id: idAt(NEWEST, 0) } } : {},
  );
  const { client } = await connect(home);
  await client.result("thread/archive", { threadId: ids[0] }, LONG);
  const { ids: archived } = await listAll(client, { archived: true });
  expect(archived).toEqual([ids[0], ids[299]]);
});
