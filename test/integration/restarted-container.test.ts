/** A server that is process 1 of its container and is killed and restarted, as in Docker or Kubernetes. */
import { spawnSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/client/index.ts";
import { HEDDLE, startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

/** Its own process id namespace, with its own /proc. */
const CONTAINER = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const canContain = spawnSync("unshare", [...CONTAINER, "true"]).status === 0;

test.skipIf(!canContain)("a thread of the server before is resumed at once", async () => {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  const program = { command: "unshare", args: [...CONTAINER, HEDDLE.command, ...HEDDLE.args] };
  const start = async () => {
    const server = await startServer({ home, program, transport: "ws" });
    onTestFinished(() => server.stop().then(() => {}));
    return server;
  };
  const first = await start();
  const before = await connect(`ws://${first.address}`, { reconnect: false });
  const { id } = await before.startThread();
  await before.resumeThread(id).then((thread) => thread.run("hello"));
  first.child.signal("SIGKILL");
  await first.child.exit;
  const second = await start();
  const after = await connect(`ws://${second.address}`, { reconnect: false });
  onTestFinished(() => after.close());
  const thread = await after.resumeThread(id);
  expect((await thread.run("and on")).turn.status).toBe("completed");
});
