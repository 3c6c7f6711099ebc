/** Attacks through history files, which other programs write as well, on lists, pages, searches and terminals. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Random } from "../../support/random.ts";
import type { RpcClient } from "../../support/rpc-client.ts";
import { serverEnvironment } from "../../support/start-server.ts";
import {
  idAt,
  putRollout,
  rolloutFile,
  rolloutText,
  type StoredRollout,
} from "../../support/stored-rollouts.ts";
import type { TempHome } from "../../support/temp-home.ts";
import type { Attack } from "../attack.ts";
import { residentMiB } from "../attack-harness.ts";

const NEWEST = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;
const PATIENT = { milliseconds: 60_000 };
/** The maximum wait of a request for the work of another, even on a busy machine. */
const MAX_STALL_MS = 2000;

type Page = { readonly data: readonly { readonly id: string }[]; readonly nextCursor: string | null };

async function listAll(client: RpcClient, params: object): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const asked = { modelProviders: [], ...params, cursor };
    const page = (await client.result("thread/list", asked, PATIENT)) as Page;
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids;
}

/** The longest wait of a small request during the work. */
async function stallDuring(client: RpcClient, work: Promise<unknown>): Promise<number> {
  const state = { isDone: false };
  let longest = 0;
  const end = (): void => {
    state.isDone = true;
  };
  const ended = work.then(end, end);
  while (!state.isDone) {
    const start = performance.now();
    await client.result("thread/loaded/list", {}, PATIENT);
    longest = Math.max(longest, performance.now() - start);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5))]);
  }
  return longest;
}

function fill({ home }: TempHome, random: Random, count: number): string[] {
  const isOneDay = random.chance(0.5);
  return Array.from({ length: count }, (_, at) => {
    const createdAtMs = NEWEST - at * (isOneDay ? 2000 : 97 * MINUTE);
    const id = idAt(createdAtMs, at);
    putRollout(home, { id, createdAtMs, updatedAtMs: NEWEST - ((at * 7919) % count) * 1000 });
    return id;
  });
}

function nested(levels: number, random: Random): string {
  return random.chance(0.5)
    ? `${"[".repeat(levels)}${"]".repeat(levels)}`
    : `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

/** The memory limit of a server that reads a decompression bomb, in MiB. */
const MAX_BOMB_MIB = 600;
const BLOCK_BYTES = 128 * 1024;

/** A few kilobytes of zstd: the text, followed by data that expands to gigabytes or needs such a window. */
function zstdBomb(shape: "window" | "blocks" | "frames", text: string, random: Random): Buffer {
  const block = (kind: "raw" | "run", size: number, isLast: boolean, bytes: Buffer): Buffer => {
    const header = Buffer.alloc(3);
    header.writeUIntLE(Number(isLast) | (kind === "run" ? 2 : 0) | (size << 3), 0, 3);
    return Buffer.concat([header, bytes]);
  };
  const frame = (windowExponent: number, ...blocks: readonly Buffer[]): Buffer =>
    Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowExponent - 10) << 3]), ...blocks]);
  const run = (isLast: boolean): Buffer => block("run", BLOCK_BYTES, isLast, Buffer.from("x"));
  const runs = (count: number): Buffer[] => Array.from({ length: count }, (_, at) => run(at === count - 1));
  const readable = block("raw", Buffer.byteLength(text), shape !== "blocks", Buffer.from(text));
  const count = 20_000 + random.below(60_000);
  if (shape === "blocks") return frame(20, readable, ...runs(count));
  if (shape === "window")
    return Buffer.concat([frame(20, readable), frame(24 + random.below(17), ...runs(2))]);
  const one = frame(20, run(true));
  return Buffer.concat([frame(20, readable), ...Array.from({ length: count }, () => one)]);
}

type Poison = { readonly name: string; readonly rollout?: Partial<StoredRollout>; readonly more?: string };

function poisons(id: string, random: Random): readonly Poison[] {
  const event = (payload: string) =>
    `{"timestamp":"x","ordinal":9,"type":"event_msg","payload":${payload}}\n`;
  const base = (members: object) => ({ meta: { history_base: { thread_id: id, ...members } } });
  const levels = 1000 + random.below(100_000);
  const long = "l".repeat(1_000_000 + random.below(5_000_000));
  return [
    { name: "a fraction", rollout: base({ end_ordinal_exclusive: 1.5, end_byte_offset: 1e308 }) },
    { name: "itself", rollout: base({ end_ordinal_exclusive: 3, end_byte_offset: 10 }) },
    { name: "the last day", rollout: { meta: { timestamp: "+275760-09-13T00:00:00.000Z" } } },
    { name: "other kinds", rollout: { meta: { cwd: 5, originator: {}, source: [1], git: { branch: {} } } } },
    { name: "no path", rollout: { meta: { cwd: "/a\u0000b" } } },
    { name: "its own parent", rollout: { meta: { parent_thread_id: id } } },
    { name: "long words", rollout: { text: long } },
    { name: "long names", rollout: { meta: { cwd: `/${long}`, originator: long } } },
    { name: "deep goal", more: event(`{"type":"thread_goal_updated","goal":${nested(levels, random)}}`) },
    {
      name: "deep settings",
      more: event(`{"type":"thread_settings_applied","thread_settings":{"a":${nested(levels, random)}}}`),
    },
    { name: "a long line", more: `"${"x".repeat(70_000_000)}"\n` },
    { name: "many lines", more: event('{"type":"x"}').repeat(200_000) },
  ];
}

export const historyAttacks: readonly Attack[] = [
  {
    name: "history/first list",
    promise: "no list ends before the last thread, however new the index is",
    async run(harness) {
      const { random } = harness;
      const home = await harness.home();
      const ids = fill(home, random, 150 + random.below(1500));
      const attacked = await harness.open({ home });
      const params = {
        limit: 1 + random.below(100),
        sortKey: random.pick(["created_at", "updated_at", "recency_at"]),
        sortDirection: random.pick(["asc", "desc"]),
      };
      for (const round of ["new", "lost"]) {
        const found = await listAll(attacked.client, params);
        const missing = ids.filter((id) => !found.includes(id));
        if (missing.length > 0 || found.length !== ids.length) {
          harness.breach("a list lacks threads", {
            round,
            params,
            has: found.length,
            of: ids.length,
            missing: missing.slice(0, 5),
          });
        }
        rmSync(join(home.home, "heddle.sqlite"), { force: true });
      }
    },
  },
  {
    name: "history/poisoned file",
    promise: "a file made to do harm costs no other thread its place, and nobody the server's attention",
    async run(harness) {
      const { random } = harness;
      const home = await harness.home();
      const good = fill(home, random, 20);
      const createdAtMs = NEWEST + MINUTE;
      const id = idAt(createdAtMs, 999);
      const poison = random.pick(poisons(id, random));
      const rollout = { id, createdAtMs, ...poison.rollout };
      const path = rolloutFile(home.home, rollout);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, rolloutText(rollout));
      appendFileSync(path, poison.more ?? "");
      const { client } = await harness.open({ home });
      const evidence = { poison: poison.name };
      const asks: (() => Promise<unknown>)[] = [
        () => client.request("thread/read", { threadId: id, includeTurns: true }, PATIENT),
        () => client.request("thread/items/list", { threadId: id }, PATIENT),
        () => client.request("thread/search", { searchTerm: "about" }, PATIENT),
        () => client.request("thread/searchOccurrences", { threadId: id, searchTerm: "l" }, PATIENT),
      ];
      for (const ask of asks) {
        const found = await listAll(client, { limit: 50 });
        const missing = good.filter((each) => !found.includes(each));
        if (missing.length > 0)
          harness.breach("a poisoned file hides other threads", { ...evidence, missing });
        const stall = await stallDuring(client, ask());
        if (stall > MAX_STALL_MS)
          harness.breach("a poisoned file holds up the server", { ...evidence, stall });
      }
      const page = await client.result("thread/list", { modelProviders: [], limit: 50 }, PATIENT);
      const size = JSON.stringify(page).length;
      if (size > 500_000) harness.breach("a poisoned file fills lists", { ...evidence, size });
    },
  },
  {
    name: "history/packed bomb",
    promise:
      "a packed file costs no more memory and disk than its size allows, and nobody the server's attention",
    async run(harness) {
      const { random } = harness;
      const home = await harness.home();
      const good = fill(home, random, 5);
      const rollout = { id: idAt(NEWEST + MINUTE, 999), createdAtMs: NEWEST + MINUTE };
      const path = `${rolloutFile(home.home, rollout)}.zst`;
      mkdirSync(dirname(path), { recursive: true });
      const shape = random.pick(["window", "blocks", "frames"] as const);
      writeFileSync(path, zstdBomb(shape, rolloutText(rollout), random));
      const { client, server } = await harness.open({ home });
      const evidence = { shape };
      const { id } = rollout;
      for (const [method, params] of [
        ["thread/list", { limit: 50 }],
        ["thread/read", { threadId: id, includeTurns: true }],
        ["thread/search", { searchTerm: "about" }],
        ["thread/resume", { threadId: id }],
      ] as const) {
        const stall = await stallDuring(client, client.request(method, params, PATIENT));
        if (stall > MAX_STALL_MS) harness.breach("a bomb holds up everybody", { ...evidence, method, stall });
        const memory = residentMiB(server.child.pid);
        if (memory > MAX_BOMB_MIB) harness.breach("a bomb fills the memory", { ...evidence, method, memory });
      }
      const found = await listAll(client, { limit: 50 });
      if (good.some((each) => !found.includes(each))) harness.breach("a bomb hides other threads", evidence);
    },
  },
  {
    name: "history/search in an answer",
    promise: "no message takes more than a moment to be searched",
    async run(harness) {
      const { random } = harness;
      const home = await harness.home();
      const createdAtMs = NEWEST;
      const id = idAt(createdAtMs, 1);
      const piece = random.pick(["[", "[a](", "**a ", "__a ", "\n", " \n", "*a ", "_a ", "> ", "- ", "`"]);
      const text = piece.repeat(200_000 / piece.length);
      const path = putRollout(home.home, { id, createdAtMs });
      const item = { type: "AgentMessage", id: "a1", content: [{ type: "Text", text }] };
      const payload = { type: "item_completed", thread_id: id, turn_id: "t1", item };
      const line = { timestamp: new Date(createdAtMs).toISOString(), ordinal: 9, type: "event_msg", payload };
      appendFileSync(path, `${JSON.stringify(line)}\n`);
      const { client } = await harness.open({ home });
      const search = client.request("thread/searchOccurrences", { threadId: id, searchTerm: "x" }, PATIENT);
      const stall = await stallDuring(client, search).catch(() => Number.POSITIVE_INFINITY);
      if (stall > MAX_STALL_MS) harness.breach("a search holds up the server", { piece, stall });
    },
  },
  {
    name: "history/terminal",
    promise: "no name of a file steers the terminal of whoever looks at a home",
    async run(harness) {
      const { random } = harness;
      const home = await harness.home();
      const escape = random.pick([
        "\u001b[2J",
        "\u001b]0;title\u0007",
        "\u009b31m",
        "\u202e",
        "\r",
        "\u0008",
      ]);
      const createdAtMs = NEWEST;
      const path = putRollout(home.home, { id: idAt(createdAtMs, 1), createdAtMs });
      appendFileSync(path, `not JSON ${escape}\n`);
      const stray = join(dirname(path), `rollout-${escape}.jsonl`);
      writeFileSync(stray, `torn ${escape}`);
      symlinkSync("/nowhere", join(home.home, `session${escape}`));
      await home.write("home/config.toml", `model_provider = "${escape.replaceAll(/[^\]]/gu, "x")}\n`);
      const { command, args } = harness.program;
      const { stdout, stderr } = spawnSync(command, [...args, "doctor"], {
        cwd: home.workspace,
        env: serverEnvironment(home),
        encoding: "utf8",
        timeout: 60_000,
      });
      const shown = stdout + stderr;
      if (shown.includes(escape))
        harness.breach("a terminal is steered", { escape, shown: JSON.stringify(shown) });
    },
  },
];
