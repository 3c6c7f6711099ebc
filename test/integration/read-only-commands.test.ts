/** Read-only commands do not change a home. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../support/child.ts";
import { HEDDLE, serverEnvironment, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

async function openHome(): Promise<TempHome> {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  return home;
}

async function run(home: TempHome, ...args: readonly string[]) {
  const { command, args: own } = HEDDLE;
  const child = new Child({
    command,
    args: [...own, ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  const { code } = await child.exit;
  return { code, stdout: child.stdout, stderr: child.stderr };
}

async function databaseFinding(home: TempHome) {
  const { code, stdout } = await run(home, "doctor", "--json");
  const findings = JSON.parse(stdout) as { subject: string }[];
  return { code, findings: findings.filter(({ subject }) => subject === "database") };
}

/** The content of a home, without the shared memory file of the database. */
function contents({ home }: TempHome): [string, string][] {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.endsWith("-shm") && statSync(join(home, name)).isFile())
    .sort()
    .map((name) => [name, readFileSync(join(home, name), "base64")]);
}

/** A home as a killed server leaves it: with a turn, and with writes that are still in the database's log. */
async function leaveWork(home: TempHome): Promise<void> {
  const server = await startServer({ home });
  onTestFinished(async () => void (await server.stop()));
  const client = await server.connect();
  await client.result("initialize", { clientInfo: { name: "looking", title: null, version: "1.0.0" } });
  const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
  await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Hello" }] });
  await client.next({ method: "turn/completed" });
  await client.result("thread/list", {});
  await server.stop();
}

describe("heddle doctor", () => {
  test("makes nothing in a new home", async () => {
    const home = await openHome();
    const file = join(home.home, "heddle.sqlite");
    expect(await databaseFinding(home)).toEqual({
      code: 0,
      findings: [{ subject: "database", verdict: "ok", says: `${file}: none yet` }],
    });
    expect(contents(home)).toEqual([]);
  });

  test("leaves what a killed server has left", async () => {
    const home = await openHome();
    await leaveWork(home);
    const before = contents(home);
    const file = join(home.home, "heddle.sqlite");
    expect(await databaseFinding(home)).toEqual({
      code: 0,
      findings: [{ subject: "database", verdict: "ok", says: file }],
    });
    expect(contents(home)).toEqual(before);
  });

  test("says of a file that is no database what to do with it, and leaves it there", async () => {
    const home = await openHome();
    await home.write("home/heddle.sqlite", "this is no database, however long one looks at it");
    const before = contents(home);
    const { code, findings } = await databaseFinding(home);
    expect([code, findings]).toEqual([
      1,
      [
        {
          subject: "database",
          verdict: "problem",
          says: `${join(home.home, "heddle.sqlite")}: file is not a database`,
          advice:
            "The next server, or `heddle doctor --repair`, keeps it aside and starts with a new one: the list of threads is made again from their files, and the rest is brought over as far as it can be read.",
        },
      ],
    ]);
    expect(contents(home)).toEqual(before);
  });
});

describe("heddle approvals log", () => {
  test("says so when nothing was decided yet, and makes nothing", async () => {
    const home = await openHome();
    expect(await run(home, "approvals", "log")).toEqual({
      code: 0,
      stdout: "",
      stderr: "no decisions yet\n",
    });
    expect(contents(home)).toEqual([]);
  });

  test("leaves what a killed server has left", async () => {
    const home = await openHome();
    await leaveWork(home);
    const before = contents(home);
    expect(await run(home, "approvals", "log")).toEqual({
      code: 0,
      stdout: "",
      stderr: "no decisions yet\n",
    });
    expect(contents(home)).toEqual(before);
  });
});
