/** Backups that are taken while a server is working, and their content. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Client, connect } from "../../src/client/index.ts";
import { openDatabase } from "../../src/store/files/sqlite/driver.ts";
import { callHeddle } from "../support/call-heddle.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const EXPERIMENTAL = { capabilities: { experimentalApi: true } } as const;

async function temporaryHome(config?: string): Promise<TempHome> {
  const home = await createTempHome(config === undefined ? {} : { config });
  onTestFinished(() => home.remove());
  return home;
}

async function serve(home: TempHome, folder?: string): Promise<Client> {
  const env = folder === undefined ? {} : { CODEX_HOME: folder };
  const server = await startServer({ home, transport: "ws", env });
  onTestFinished(() => server.stop().then(() => {}));
  const client = await connect(`ws://${server.address}`, { ...EXPERIMENTAL, reconnect: false });
  onTestFinished(() => client.close());
  return client;
}

/**
 * The keys of a thread's user messages and of its queued turns; a turn that is being started is in one of
 * them.
 */
async function keysIn(home: TempHome, threadId: string): Promise<readonly string[]> {
  const database = openDatabase(join(home.home, "heddle.sqlite"));
  const rows = database.prepare("SELECT client_id, state FROM queue_rows").all() as Queued[];
  database.close();
  const { code, stdout } = await callHeddle(home, ["threads", "export", threadId]);
  expect(code).toBe(0);
  const storedKeys = [...stdout.matchAll(/"clientId":"(key-\d+)"/g)].map(([, key = ""]) => key);
  const waiting = rows
    .map(({ client_id, state }) => ({ key: JSON.parse(client_id) as string, state }))
    .filter(({ key, state }) => state === "pending" || !storedKeys.includes(key));
  return [...storedKeys, ...waiting.map(({ key }) => key)];
}

interface Queued {
  readonly client_id: string;
  readonly state: "pending" | "dispatching" | "failed";
}

test("no queued turn is lost or doubled in a backup, whenever it is taken", async () => {
  const model = await openScriptedModel([messageReply("Done")]);
  onTestFinished(() => model.close());
  const home = await temporaryHome(modelConfig(model.url));
  const client = await serve(home);
  const thread = await client.startThread();
  await thread.run("Hello");
  const accepted: string[] = [];
  const work = { left: 0, isOver: false, goOn: (): void => {} };
  client.on("turn/completed", () => {
    work.left -= 1;
    work.goOn();
  });
  const adding = (async () => {
    for (let at = 0; !work.isOver; at += 1) {
      work.left += 1;
      await thread.queue.add("Again", { clientUserMessageId: `key-${at}` });
      accepted.push(`key-${at}`);
      while (work.left > 40 && !work.isOver)
        await new Promise<void>((resolve) => {
          work.goOn = resolve;
        });
    }
  })();
  const backups: { readonly folder: string; readonly before: readonly string[] }[] = [];
  for (let round = 0; round < 6; round += 1) {
    const before = [...accepted];
    const folder = join(home.root, `backup-${round}`);
    expect(await callHeddle(home, ["backup", folder])).toMatchObject({ code: 0, stderr: "" });
    backups.push({ folder, before });
  }
  work.isOver = true;
  work.goOn();
  await adding;
  for (const { folder, before } of backups) {
    const keys = await keysIn({ ...home, home: folder }, thread.id);
    // They were added one after the other: a backup with one of them has all before it, each once.
    const numbers = keys.map((key) => Number(key.slice("key-".length))).toSorted((one, other) => one - other);
    expect(numbers).toEqual(numbers.map((_, at) => at));
    expect(before.filter((key) => !keys.includes(key))).toEqual([]);
  }
  expect(accepted.length).toBeGreaterThan(60);
});

test("everything else is in it, with its rights, and nothing of running servers", async () => {
  const home = await temporaryHome();
  const client = await serve(home);
  const thread = await client.startThread();
  await thread.run("hello");
  await thread.rename("named");
  mkdirSync(join(home.home, "rules"));
  writeFileSync(join(home.home, "rules", "default.rules"), "");
  writeFileSync(join(home.home, "secret"), "s", { mode: 0o600 });
  symlinkSync("secret", join(home.home, "link"));
  const folder = join(home.root, "backup");
  expect((await callHeddle(home, ["backup", folder])).stdout).toMatch(
    /backup: \d+ files, .* held for \d+ ms\n$/,
  );
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining(["heddle.sqlite", "link", "rules", "secret", "sessions"]),
  );
  for (const name of ["thread-writer-locks", "app-server-control", "heddle.sqlite-wal"])
    expect([name, existsSync(join(folder, name))]).toEqual([name, false]);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, "secret")).mode & 0o777]).toEqual([
    0o700, 0o600,
  ]);
  expect(readFileSync(join(folder, "link"), "utf8")).toBe("s");
  const restored = await serve(await temporaryHome(), folder);
  const { data } = await restored.thread.list();
  expect(data.map(({ id, name, path }) => [id, name, path?.startsWith(folder)])).toEqual([
    [thread.id, "named", true],
  ]);
  expect((await (await restored.resumeThread(thread.id)).run("and on")).turn.status).toBe("completed");
});

test.each([
  ["in the home", (home: TempHome) => join(home.home, "backup"), "lies in the home"],
  ["that has something in it", (home: TempHome) => home.root, "is there already"],
])("a folder %s is refused", async (_name, folder, reason) => {
  const home = await temporaryHome();
  const { code, stderr } = await callHeddle(home, ["backup", folder(home)]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
});
