/** Follows the steps of docs/operating.md one after the other; only paths are replaced. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CERTIFICATE, KEY } from "../../src/base/network/fixtures/certificates.ts";
import { Child } from "../support/child.ts";
import { lackOf, testUnless } from "../support/needs-program.ts";
import { serve, TOKEN } from "../support/serve.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const blocks = [...readFileSync("docs/operating.md", "utf8").matchAll(/^```sh\n(.*?)^```$/gmsu)].map(
  ([, code = ""]) => code,
);

/** The only code block that contains this text. */
function blockWith(words: string): string {
  const found = blocks.filter((code) => code.includes(words));
  expect(found).toHaveLength(1);
  return found[0] ?? "";
}

async function createHome(): Promise<TempHome> {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  writeFileSync(join(home.root, "token"), TOKEN);
  writeFileSync(join(home.root, "cert.pem"), CERTIFICATE);
  writeFileSync(join(home.root, "key.pem"), KEY);
  mkdirSync(join(home.root, "backups"));
  return home;
}

/** A shell in which `heddle` is the program and the home is temporary, so that the machine is not changed. */
function startShell(home: TempHome, code: string): Child {
  const program = [HEDDLE.command, ...HEDDLE.args].map((word) => `'${word}'`).join(" ");
  const here = code
    .replaceAll("/etc/heddle/token", join(home.root, "token"))
    .replace(/\S+\/fullchain\.pem/gu, join(home.root, "cert.pem"))
    .replace(/\S+\/privkey\.pem/gu, join(home.root, "key.pem"))
    .replaceAll("/backups/", join(home.root, "backups/"));
  const { CODEX_HOME: _, ...env } = serverEnvironment(home);
  const functions = `heddle() { ${program} "$@"; }\nsystemctl() { :; }\nnpm() { :; }\nset -e`;
  const args = ["-c", `${functions}\n${here}`];
  const child = new Child({ command: "bash", args, cwd: home.workspace, env });
  child.endInput();
  onTestFinished(async () => void (await child.stop()));
  return child;
}

async function run(home: TempHome, code: string): Promise<string> {
  const child = startShell(home, code);
  const { code: status } = await child.exit;
  expect([status, child.stderr]).toEqual([0, expect.any(String)]);
  return child.stdout;
}

test.each([
  [
    "--trusted-proxy",
    (code: string) => `${code.trimEnd()} --listen ws://127.0.0.1:0`,
    /ws:\/\/127\.0\.0\.1:\d+/u,
  ],
  ["--tls-cert", (code: string) => code.replace("0.0.0.0:4510", "127.0.0.1:0"), /wss:\/\/127\.0\.0\.1:\d+/u],
])("the server with %s starts", async (words, adapt, url) => {
  const home = await createHome();
  const child = startShell(home, adapt(blockWith(words)));
  const [line] = await child.stderrMatch(/listening on.*/u, 20_000);
  expect(line).toMatch(url);
});

testUnless(
  lackOf("curl"),
  "whoever has the token gets a ticket",
  async () => {
    const home = await createHome();
    const { port } = await serve();
    const code = blockWith("/ticket").replace("https://heddle.example", `http://127.0.0.1:${port}`);
    expect(JSON.parse(await run(home, code))).toEqual({ ticket: expect.any(String), expiresInSeconds: 30 });
  },
  { optional: true },
);

test("the files of the units are where they are copied from", () => {
  const copied = /^cp (.+) \/etc\/systemd\/system\/$/mu.exec(blockWith("systemctl daemon-reload"))?.[1];
  expect(copied?.split(" ").map((file) => [file, existsSync(file)])).toEqual([
    ["docs/operating/heddle@.service", true],
    ["docs/operating/heddle@.socket", true],
  ]);
});

test("a backup is restored, a thread of after it is brought back, and an upgrade keeps all", async () => {
  const home = await createHome();
  const say = (words: string) => run(home, `heddle exec --skip-git-repo-check '${words}'`);
  const titles = async () =>
    [...(await run(home, "heddle threads list --json")).matchAll(/"preview": ?"([^"]*)"/gu)].map(
      (each) => each[1],
    );
  await say("before");
  await run(home, blocks.find((code) => /^heddle backup \S+\n$/u.test(code)) ?? "");
  await say("after");
  expect(await titles()).toEqual(["after", "before"]);

  await run(home, blockWith("mv ~/.codex"));
  expect(await titles()).toEqual(["before"]);
  const sessions = (name: string) => join(home.user, name, "sessions");
  cpSync(sessions(".codex.before"), sessions(".codex"), { recursive: true, preserveTimestamps: true });
  expect(await titles()).toEqual(["after", "before"]);

  await run(home, blockWith("npm install -g"));
  expect(await titles()).toEqual(["after", "before"]);
  expect(existsSync(join(home.root, "backups", "before-upgrade", "heddle.sqlite"))).toBe(true);
});
