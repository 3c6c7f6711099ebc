/** The contract of every process host, tested with real children. */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { ProcessHost, ProcessSpec, ProcessStream, RunningProcess } from "./process-host.ts";

const ENV = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", TERM: "xterm" };
const SIZE = { cols: 80, rows: 24 };

export function describeProcessHost(name: string, open: () => ProcessHost): void {
  describe(name, () => {
    let host: ProcessHost;
    beforeEach(() => {
      host = open();
    });
    afterEach(() => host.close());

    const script = (text: string, more: Partial<ProcessSpec> = {}): ProcessSpec => ({
      argv: ["/bin/bash", "-c", text],
      cwd: "/",
      env: ENV,
      ...more,
    });

    async function begin(spec: ProcessSpec) {
      const chunks: { readonly stream: ProcessStream; readonly text: Buffer }[] = [];
      let more = (): void => {};
      const outcome = await host.start(spec, (text, stream) => {
        chunks.push({ stream, text: Buffer.from(text) });
        more();
      });
      if (outcome.kind === "failed") throw outcome.error;
      const read = (stream?: ProcessStream): string =>
        Buffer.concat(
          chunks.filter((each) => stream === undefined || each.stream === stream).map((each) => each.text),
        ).toString("latin1");
      /** Resolves when the output contains the text. */
      const shows = async (text: string): Promise<void> => {
        while (!read().includes(text)) {
          await new Promise<void>((resolve) => {
            more = resolve;
          });
        }
      };
      return { process: outcome.process, read, shows };
    }

    async function run(spec: ProcessSpec) {
      const { process, read } = await begin(spec);
      const exit = await process.exited;
      await process.closed;
      return { exit, stdout: read("stdout"), stderr: read("stderr") };
    }

    test("reports stdout, stderr and the exit code separately", async () => {
      expect(await run(script("echo out; echo err >&2; exit 3"))).toEqual({
        exit: { code: 3, signal: null },
        stdout: "out\n",
        stderr: "err\n",
      });
    });

    test("lets a child reopen its standard streams by path", async () => {
      const { process, read } = await begin(
        script("cat /dev/stdin > /dev/stdout; echo err | tee /dev/stderr; wc -c < /dev/stdin", {
          input: "pipe",
        }),
      );
      process.write(Buffer.from("told\n"));
      process.endInput();
      expect(await process.exited).toEqual({ code: 0, signal: null });
      await process.closed;
      expect([read("stdout"), read("stderr")]).toEqual(["told\nerr\n0\n", "err\n"]);
    });

    test("gives concurrent children separate blocking streams", async () => {
      const each = Array.from({ length: 40 }, (_, at) => at);
      const said = await Promise.all(
        each.map(async (at) => {
          const { process, read } = await begin(script("IFS= read -r line; echo $line", { input: "pipe" }));
          process.write(Buffer.from(`${at}\n`));
          await process.closed;
          return read();
        }),
      );
      expect(said).toEqual(each.map((at) => `${at}\n`));
    });

    test("names the signal that ended a child", async () => {
      const { exit } = await run(script("kill -TERM $$"));
      expect(exit).toEqual({ code: null, signal: "SIGTERM" });
    });

    test("passes cwd and exactly the given environment", async () => {
      const spec = { ...script(""), argv: ["/usr/bin/env"], cwd: "/usr", env: { ...ENV, ONLY: "this" } };
      const { stdout } = await run(spec);
      expect(stdout.trim().split("\n").sort()).toEqual([`ONLY=this`, `PATH=${ENV.PATH}`, "TERM=xterm"]);
    });

    test("reports why a child could not be started", async () => {
      const refusals = await Promise.all(
        [
          { ...script("true"), cwd: "/nowhere" },
          { ...script("true"), argv: ["no-such-program"] },
          { ...script("true"), argv: ["/etc/passwd"] },
          { ...script("true"), cwd: "/nowhere", terminal: SIZE },
          { ...script("true"), argv: ["no-such-program"], terminal: SIZE },
          { ...script("true"), argv: ["/etc/passwd"], terminal: SIZE },
        ].map(async (spec) => {
          const outcome = await host.start(spec, () => {});
          return outcome.kind === "failed" ? (outcome.error as NodeJS.ErrnoException).code : "started";
        }),
      );
      expect(refusals).toEqual(["ENOENT", "ENOENT", "EACCES", "ENOENT", "ENOENT", "EACCES"]);
    });

    test("writes to the input and ends it", async () => {
      const { process, read } = await begin({
        ...script("", { input: "pipe" }),
        // If stdin is a socket, bash assumes a remote shell and reads its startup file.
        argv: ["/bin/sh", "-c", "cat; echo end"],
      });
      process.write(Buffer.from("one "));
      process.write(Buffer.from("two\n"));
      process.endInput();
      await process.closed;
      expect(read()).toBe("one two\nend\n");
    });

    test("closes stdin unless a pipe is requested", async () => {
      expect((await run(script("cat; echo end"))).stdout).toBe("end\n");
    });

    test("kills a child whose queued input exceeds the limit", async () => {
      const { process } = await begin({ ...script("", { input: "pipe" }), argv: ["sleep", "600"] });
      for (let written = 0; written < 20; written += 1) process.write(Buffer.alloc(1 << 20));
      expect(await process.exited).toEqual({ code: null, signal: "SIGKILL" });
    });

    test("survives a child that ends without reading its input", async () => {
      const { process } = await begin(script("exit 0", { input: "pipe" }));
      process.write(Buffer.alloc(1 << 20));
      expect(await process.exited).toEqual({ code: 0, signal: null });
    });

    test("passes binary data unchanged", async () => {
      const { stdout } = await run(script("printf '\\x00\\xff\\xfe\\x80abc\\r\\n'"));
      expect(stdout).toBe("\x00\xff\xfe\x80abc\r\n");
    });

    test("gives a child a terminal of the given size, in a new session", async () => {
      const { stdout } = await run(
        script("test -t 0 && test -t 1 && stty size && ps -o sid= -p $$ | xargs test $$ -eq && echo own", {
          terminal: SIZE,
        }),
      );
      expect(stdout).toBe("24 80\r\nown\r\n");
    });

    test("resizes a terminal and types into it", async () => {
      const { process, read, shows } = await begin(
        script("stty -echo; echo ready; read line; stty size; echo got $line", { terminal: SIZE }),
      );
      await shows("ready");
      process.resize({ cols: 100, rows: 40 });
      process.write(Buffer.from("word\n"));
      await process.closed;
      expect(read()).toBe("ready\r\n40 100\r\ngot word\r\n");
    });

    test("delivers all trailing output of a terminal", async () => {
      const expected = `${Array.from({ length: 30_000 }, (_, index) => index + 1).join("\r\n")}\r\n`;
      for (let round = 0; round < 20; round += 1) {
        const { stdout } = await run(script("seq 1 30000", { terminal: SIZE }));
        expect(stdout === expected).toBe(true);
      }
    }, 30_000);

    test("ends a whole process group, including processes that ignore SIGTERM", async () => {
      const { process, read, shows } = await begin(
        script("trap '' TERM; (trap '' TERM; echo child $BASHPID; exec sleep 300) & wait"),
      );
      await shows("child ");
      const child = Number(/child (\d+)/.exec(read())?.[1]);
      process.terminate();
      expect(await process.exited).toEqual({ code: null, signal: "SIGKILL" });
      await process.closed;
      expect(await isGone(child)).toBe(true);
    });

    test("on detach leaves a daemon in the process group running", async () => {
      const { process, read } = await begin(script("sleep 30 & echo $!"));
      await process.exited;
      await expect.poll(() => read()).not.toBe("");
      process.detach();
      await process.closed;
      await host.close();
      const daemon = Number(read());
      onTestFinished(() => void globalThis.process.kill(daemon, "SIGKILL"));
      expect(globalThis.process.kill(daemon, 0)).toBe(true);
    });

    test("on release kills a daemon in the process group", async () => {
      const { process, read } = await begin(script("sleep 300 </dev/null >/dev/null 2>&1 & echo daemon $!"));
      await process.closed;
      const daemon = Number(/daemon (\d+)/.exec(read())?.[1]);
      expect(isRunning(daemon)).toBe(true);
      process.release();
      expect(await isGone(daemon)).toBe(true);
    });

    test("reports the exit while a daemon still holds the output", async () => {
      const { process, read, shows } = await begin(script("sleep 300 & echo started"));
      expect(await process.exited).toEqual({ code: 0, signal: null });
      await shows("started\n");
      process.release();
      await process.closed;
      expect(read()).toBe("started\n");
    });

    test("signals the process group", async () => {
      const { process, shows } = await begin(
        script("trap 'exit 7' INT; echo up; while :; do sleep 0.01; done"),
      );
      await shows("up");
      process.signal("SIGINT");
      expect(await process.exited).toEqual({ code: 7, signal: null });
    });

    test("applies backpressure while paused", async () => {
      const { process, read } = await begin(script("head -c 50000000 /dev/zero"));
      process.pause();
      // Other children run meanwhile, which is enough time for the output to arrive if it could.
      for (let round = 0; round < 10; round += 1) await run(script("true"));
      expect(read().length).toBeLessThan(8_000_000);
      process.resume();
      await process.closed;
      expect(read().length).toBe(50_000_000);
    });

    test("runs a hundred children concurrently", async () => {
      const all = await Promise.all(
        Array.from({ length: 100 }, (_, index) => run(script(`echo ${index}; exit ${index}`))),
      );
      expect(all.map(({ exit, stdout }) => [exit.code, stdout])).toEqual(
        Array.from({ length: 100 }, (_, index) => [index, `${index}\n`]),
      );
    }, 20_000);

    test("on close ends all children", async () => {
      const started = await Promise.all([1, 2, 3].map(() => begin(script("trap '' TERM; sleep 300 & wait"))));
      const pids = started.map(({ process }: { process: RunningProcess }) => process.pid);
      await host.close();
      expect(await Promise.all(pids.map(isGone))).toEqual([true, true, true]);
    });
  });
}

export function isRunning(pid: number): boolean {
  try {
    // A zombie that its new parent has not reaped yet still has an entry.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Whether a process exits within two seconds. */
export async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 200 && isRunning(pid); tries += 1) await delay(10);
  return !isRunning(pid);
}
