import { closeSync, readdirSync, readSync, writeSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createLocalHost } from "./local-host.ts";
import { createPipes, type Pipe } from "./pipes.ts";

const isLinux = process.platform === "linux";
const openFiles = (): number => readdirSync("/proc/self/fd").length;

async function takeOne(direction: "toChild" | "fromChild") {
  const pipes = createPipes();
  onTestFinished(() => pipes.close());
  const [pipe] = (await pipes.take(1)) as readonly [Pipe];
  const ends = pipe.open(direction);
  onTestFinished(() => [ends.ours, ends.childs].forEach(closeSync));
  return ends;
}

function readText(file: number): string {
  const room = Buffer.alloc(10);
  return room.subarray(0, readSync(file, room)).toString();
}

test.skipIf(!isLinux)("a pipe starts empty and has the requested direction", async () => {
  const out = await takeOne("fromChild");
  expect(() => readText(out.ours)).toThrow("EAGAIN");
  writeSync(out.childs, "said");
  expect(readText(out.ours)).toBe("said");
  expect(() => writeSync(out.ours, "x")).toThrow("EBADF");
  const input = await takeOne("toChild");
  writeSync(input.ours, "told");
  expect(readText(input.childs)).toBe("told");
});

test.skipIf(!isLinux)(
  "nothing stays open of pipes that were not taken, or of children that did not start",
  async () => {
    const host = createLocalHost();
    const start = (program: string) =>
      host.start({ argv: [program], cwd: "/", env: {}, input: "pipe" }, () => {});
    const before = openFiles();
    for (const program of ["/does/not/exist", "/bin/\0true", "/does/not/exist"]) {
      expect((await start(program)).kind).toBe("failed");
    }
    for (let at = 0; at < 40; at += 1) {
      const outcome = await start("/bin/true");
      if (outcome.kind !== "started") throw outcome.error;
      await outcome.process.exited;
      outcome.process.release();
    }
    await host.close();
    await expect.poll(openFiles, { timeout: 10_000 }).toBeLessThanOrEqual(before);
  },
);

test("pipes are closed if the pool is closed while they are created", async () => {
  const pipes = createPipes();
  const taking = pipes.take(1);
  pipes.close();
  expect(await taking).toBe(null);
});
