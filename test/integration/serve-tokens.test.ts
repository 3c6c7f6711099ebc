/**
 * Signed tokens: which clients are accepted and for how long, and how a server with a pending approval shuts
 * down.
 */
import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../../src/base/tasks.ts";
import { type ClientOptions, connect } from "../../src/client/index.ts";
import { Child } from "../support/child.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const DEADLINE = 20_000;

function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${body}.${createHmac("sha256", SECRET).update(body).digest("base64url")}`;
}

async function serve(config: string) {
  const home = await createTempHome({ config });
  onTestFinished(() => home.remove());
  const secret = join(home.root, "secret");
  writeFileSync(secret, SECRET, { mode: 0o600 });
  const logFile = join(home.root, "server.log");
  const auth = ["--ws-auth=signed-bearer-token", `--ws-shared-secret-file=${secret}`];
  const child = new Child({
    command: HEDDLE.command,
    args: [
      ...HEDDLE.args,
      "serve",
      "--listen=ws://127.0.0.1:0",
      `--log-file=${logFile}`,
      "--log-format=json",
      "--ws-max-clock-skew-seconds=0",
      ...auth,
    ],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  onTestFinished(() => child.stop().then(() => {}));
  const [, port = ""] = await child.stderrMatch(/listening on {2}ws:\/\/127\.0\.0\.1:(\d+)/u, DEADLINE);
  const log = () =>
    readFileSync(logFile, "utf8")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { fields: Record<string, unknown> }).fields);
  return { child, url: `ws://127.0.0.1:${port}`, log };
}

/** A client whose turn runs a command that needs an approval. */
async function ask(url: string, claims: object, options: ClientOptions) {
  const client = await connect(url, { token: jwt(claims), ...options });
  onTestFinished(() => client.close());
  const thread = await client.startThread({ approvalPolicy: "untrusted", sandbox: "danger-full-access" });
  return { client, run: thread.run("run touch made") };
}

test("decisions and the log name the subject of the token, and the connection ends with it", async () => {
  const { url, log, child } = await serve("");
  const exp = Math.floor(Date.now() / 1000) + 4;
  const { client, run } = await ask(url, { exp, sub: "alice" }, { approve: () => "accept" });
  await run;
  await expect
    .poll(() => log().some((line) => line["message"] === "connection closed"), { timeout: 15_000 })
    .toBe(true);
  expect(Date.now()).toBeGreaterThanOrEqual((exp + 1) * 1000);
  await client.close();
  child.signal("SIGTERM");
  await child.exit;
  const about = (message: string) => log().filter((line) => line["message"] === message);
  expect(about("connection opened")[0]).toMatchObject({ subject: "alice" });
  expect(about("client introduced itself")[0]).toMatchObject({ subject: "alice", client: "heddle_client" });
  expect(log().find((line) => line["decision"] === "approved" && line["by"] === "client")).toMatchObject({
    subject: "alice",
    client: "heddle_client",
  });
});

test("SIGTERM with an open question that does not outlive the server ends within the drain time, and says what it waits for", async () => {
  const { url, log, child } = await serve('limits.drain_timeout_sec = 2\napprovals.after_restart = "deny"');
  const asked = createDeferred<void>();
  const { run } = await ask(
    url,
    { exp: Math.floor(Date.now() / 1000) + 600, sub: "alice" },
    {
      approve() {
        asked.resolve();
        return new Promise<never>(() => {});
      },
    },
  );
  run.catch(() => {});
  await asked.promise;
  const start = performance.now();
  child.signal("SIGTERM");
  expect(await child.exit).toMatchObject({ code: 0 });
  expect(performance.now() - start).toBeGreaterThan(1500);
  expect(performance.now() - start).toBeLessThan(12_000);
  for (const message of [
    "waiting for running turns",
    "running turns did not end in time, and are interrupted",
  ])
    expect(log().find((line) => line["message"] === message)?.["turns"]).toMatch(
      /^turn \S+ of thread \S+ waits for an answer of a client \(at most 2 s: limits\.drain_timeout_sec\)$/u,
    );
});
