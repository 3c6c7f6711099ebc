/** A conversation on a server whose threads are not in files: it is fully functional, and writes nothing into the home. */
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, onTestFinished } from "vitest";
import { createHeddle } from "../../src/index.ts";
import { createTempHome, type TempHome } from "./temp-home.ts";

/** A server with the store at an address. */
export async function embedWith(store: string, folders: TempHome) {
  const { home, workspace: cwd, user: HOME } = folders;
  const env = { HOME, PATH: process.env["PATH"] };
  const heddle = await createHeddle({ home, cwd, env, store });
  onTestFinished(() => heddle.close());
  return heddle;
}

/**
 * Security state that must outlive this server, whatever its store: the paths that sandboxed commands could
 * write, and the pins of trusted hooks.
 */
const KEPT_FOR_SAFETY = /^(?:sandbox(?:\/|$)|hook-pins\.json$)/;

/** All other files below a folder, with content and modification time. */
async function spy(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (KEPT_FOR_SAFETY.test(relative(folder, path))) continue;
    const { mtimeMs } = await stat(path);
    found[path] = entry.isFile() ? `${mtimeMs} ${await readFile(path, "utf8")}` : "folder";
  }
  return found;
}

/** With a queue, a hook and an approval. Returns the id of its thread. */
export async function expectUntouchedHome(store: string): Promise<string> {
  const folders = await createTempHome({ config: "" });
  onTestFinished(() => folders.remove());
  const log = join(folders.workspace, "hook.log");
  const script = join(folders.user, "hook.sh");
  await writeFile(script, `#!/bin/sh\ncat >> ${log}\n`);
  await chmod(script, 0o755);
  const command = { type: "command", command: script };
  await writeFile(
    join(folders.home, "hooks.json"),
    JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [command] }] } }),
  );
  const before = await spy(folders.home);
  const heddle = await embedWith(store, folders);
  const asked: string[] = [];
  const client = await heddle.connect({
    capabilities: { experimentalApi: true },
    approve(request) {
      asked.push(request.type);
      return "accept";
    },
  });
  const thread = await client.startThread({
    approvalPolicy: "untrusted",
    sandbox: "danger-full-access",
    config: { bypass_hook_trust: true },
  });
  const first = await thread.run("run touch approved");
  expect([first.turn.status, asked]).toEqual(["completed", ["command"]]);
  expect((await stat(join(folders.workspace, "approved"))).isFile()).toBe(true);
  const ended = new Promise<void>((resolve) => {
    let turns = 0;
    client.on("turn/completed", () => {
      turns += 1;
      if (turns === 2) resolve();
    });
  });
  const running = thread.run("and again");
  await thread.queue.add("queued");
  await running;
  await ended;
  const { data } = await client.request("thread/turns/list", { threadId: thread.id, sortDirection: "asc" });
  expect(data.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  const { data: listed } = await client.request("thread/list", {});
  expect(listed.map(({ id, path }) => [id, path])).toEqual([[thread.id, null]]);
  await expect(client.request("thread/resume", { threadId: thread.id, path: "/x" })).rejects.toThrow(
    "cannot resume running thread",
  );
  expect((await readFile(log, "utf8")).match(/"hook_event_name":"UserPromptSubmit"/g)).toHaveLength(3);
  await heddle.close();
  expect(await spy(folders.home)).toEqual(before);
  return thread.id;
}
