/** `heddle serve` with a token and a log, and upgrade requests to it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { Child } from "./child.ts";
import { HEDDLE, serverEnvironment } from "./start-server.ts";
import { createTempHome } from "./temp-home.ts";

const DEADLINE = 20_000;
export const TOKEN = "a-token-that-nobody-guesses";
const LISTENING = /listening on {2}wss?:\/\/127\.0\.0\.1:(\d+)/u;

export async function serve(args: readonly string[] = [], { hasToken = true, config = "" } = {}) {
  const home = await createTempHome({ config });
  const tokenFile = join(home.root, "token");
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
  const logFile = join(home.root, "server.log");
  const auth = hasToken ? ["--ws-auth", "capability-token", "--ws-token-file", tokenFile] : [];
  const child = new Child({
    command: HEDDLE.command,
    args: [
      ...HEDDLE.args,
      "serve",
      "--listen=ws://127.0.0.1:0",
      `--log-file=${logFile}`,
      "--log-format=json",
      ...auth,
      ...args,
    ],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  onTestFinished(async () => {
    await child.stop();
    await home.remove();
  });
  const [, port = ""] = await child.stderrMatch(LISTENING, DEADLINE);
  /** Stops the server, so that its log is complete. */
  async function log(): Promise<{ readonly text: string; about(message: string): object[] }> {
    child.signal("SIGTERM");
    await child.exit;
    const text = readFileSync(logFile, "utf8");
    const lines = text.trim().split("\n");
    const fields = lines.map((line) => (JSON.parse(line) as { fields: { message: string } }).fields);
    return { text, about: (message) => fields.filter((each) => each.message === message) };
  }
  return { port: Number(port), log, logFile };
}

export const bearer = { authorization: `Bearer ${TOKEN}` };

/** The status of an upgrade request, with the body of a refusal. */
export async function upgrade(
  url: string,
  { protocols = [], ...options }: { readonly protocols?: string[] } & ClientOptions = {},
): Promise<string> {
  const socket = new WebSocket(url, protocols, options);
  onTestFinished(() => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => {
      socket.close();
      socket.on("close", () => resolve(`101 ${socket.protocol}`.trim()));
    });
    socket.on("unexpected-response", (_, answer) => {
      let body = "";
      answer.on("data", (chunk: Buffer) => (body += chunk.toString()));
      answer.on("end", () => resolve(`${answer.statusCode} ${body}`));
    });
  });
}
