import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createTestHome } from "../../config/config.fixture.ts";
import { openConfigSource } from "../configuration/config-source.ts";
import { createHooks } from "./hooks.ts";

const STOP = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } });

test("threads of one folder share a reader until their configuration differs", async () => {
  const home = createTestHome();
  home.write("home/config.toml", `[projects."${home.root}/repository"]\ntrust_level = "trusted"\n`);
  const cwd = join(home.root, "repository/project");
  mkdirSync(cwd, { recursive: true });
  const env = { HEDDLE_HOME: home.home };
  const userHome = join(home.root, "user");
  let ids = 0;
  const createId = () => `id-${ids++}`;
  const options = { env, cwd, userHome, createId, flags: {}, profile: null, strictConfig: false };
  const config = await openConfigSource(options);
  const host = { env, cwd, userHome, clock: systemClock, log: silentLogger, createId };
  const hooks = createHooks(host, config, { guardClaude() {} });
  const follow = async (threadId: string, thread: Readonly<Record<string, unknown>> = {}) => {
    const effective = await (await config.get()).effective({ cwd, thread });
    if (!effective.ok) throw new Error(effective.error.message);
    return hooks.follow(threadId, { cwd, thread, effective: effective.value });
  };

  const first = await follow("a");
  expect(await follow("b")).toBe(first);
  expect(await follow("c", { model: "other" })).not.toBe(first);
  expect((await first.current()).hooks).toEqual([]);

  // A file that no reader watches: the repository around the folder is new.
  home.write("repository/.git/HEAD", "ref: refs/heads/main\n");
  home.write("repository/.codex/hooks.json", STOP);
  // Folders are looked at once in a tick.
  await setImmediate();
  const later = await follow("d");
  expect(later).not.toBe(first);
  expect((await later.current()).hooks).toHaveLength(1);

  hooks.forget("a");
  expect(hooks.of("a")).toBeUndefined();
  expect(hooks.of("b")).toBe(first);
});
