import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isGone } from "../../process/process-host.contract.ts";
import type { SandboxPolicy } from "../../protocol/generated/types.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { type ExecBench, openExecBench, THREAD } from "./fixtures/exec-bench.ts";

let bench: ExecBench;
beforeEach(() => {
  bench = openExecBench();
});
afterEach(() => bench.close());

/** An answer with everything that is not compared left out. */
function answer(end: string, tokens: number, output: string): string {
  return `Chunk ID: #\nWall time: #\n${end}\nOriginal token count: ${tokens}\nOutput:\n${output}`;
}

const sessionIn = (text: string): number => Number(/session ID (\d+)/.exec(text)?.[1]);

describe("exec_command", () => {
  test("returns the exit code and output of a command to the model", async () => {
    expect(await bench.call("exec_command", { cmd: "echo hi; exit 3" })).toBe(
      answer("Process exited with code 3", 1, "hi\n"),
    );
    expect(await bench.call("exec_command", { cmd: "kill -9 $$" })).toBe(
      answer("Process exited with code 137", 0, ""),
    );
  });

  test("shows a command as an item from its start to its end", async () => {
    await bench.call("exec_command", { cmd: "printf 'a\\xc3\\xa9'" }, { callId: "c" });
    await bench.call("exec_command", { cmd: "false" }, { callId: "d" });
    expect(bench.events).toEqual([
      `begin c inProgress unifiedExecStartup process /bin/bash -lc "printf 'a\\\\xc3\\\\xa9'" null null`,
      'delta c "aé"',
      `complete c completed unifiedExecStartup process /bin/bash -lc "printf 'a\\\\xc3\\\\xa9'" 0 "aé"`,
      "begin d inProgress unifiedExecStartup process /bin/bash -lc false null null",
      "complete d failed unifiedExecStartup process /bin/bash -lc false 1 null",
    ]);
  });

  test("redacts secrets in a command and leaves its output unchanged", async () => {
    await bench.call("exec_command", { cmd: "echo token=abcdefgh12" }, { callId: "c" });
    expect(bench.events).toEqual([
      "begin c inProgress unifiedExecStartup process /bin/bash -lc 'echo token=[REDACTED_SECRET]' null null",
      'delta c "token=abcdefgh12\\n"',
      `complete c completed unifiedExecStartup process /bin/bash -lc 'echo token=[REDACTED_SECRET]' 0 "token=abcdefgh12\\n"`,
    ]);
  });

  test("never splits a character, whatever the chunks", async () => {
    await bench.call(
      "exec_command",
      { cmd: "printf 'x\\xe2'; sleep 0.05; printf '\\x82\\xac\\xff!'" },
      { callId: "c" },
    );
    const deltas = bench.events.filter((event) => event.startsWith("delta"));
    expect(deltas.map((event) => JSON.parse(event.slice(8)) as string).join("")).toBe("x€\ufffd!");
  });

  test("retains the head and the tail of long output", async () => {
    const text = await bench.call("exec_command", { cmd: "seq 1 30000", max_output_tokens: 10 });
    expect(text).toBe(
      answer(
        "Process exited with code 0",
        42_224,
        "Warning: truncated output (original token count: 42224)\nTotal output lines: 30000\n\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10…42214 tokens truncated…7\n29998\n29999\n30000\n",
      ),
    );
  });

  test("counts characters for models whose budget is in bytes", async () => {
    const bytes = openExecBench({ settings: { truncation: { unit: "bytes", limit: 4000 } } });
    const text = await bytes.call("exec_command", { cmd: "printf 'é%.0s' $(seq 1 4000)" });
    await bytes.close();
    expect(text).toBe(
      answer(
        "Process exited with code 0",
        2000,
        `Warning: truncated output (original token count: 2000)\nTotal output lines: 1\n\n${"é".repeat(1000)}…2000 chars truncated…${"é".repeat(1000)}`,
      ),
    );
  });

  test("reports how much output was omitted", async () => {
    const text = await bench.call("exec_command", {
      cmd: "head -c 3000000 /dev/zero | tr '\\0' x",
      max_output_tokens: 50,
    });
    const x = "x".repeat(100);
    expect(text).toBe(
      answer(
        "Process exited with code 0",
        750_000,
        `Warning: truncated output (original token count: 750000)\n... 1951424 bytes omitted ...\n\n${x}…262102 tokens truncated…${x}`,
      ),
    );
  });

  test("leaves a slow command running and completes its item on exit", async () => {
    const text = await bench.call(
      "exec_command",
      { cmd: "echo hi; read -t 0.6 < <(sleep 9); echo bye", yield_time_ms: 250 },
      { callId: "c" },
    );
    expect(text).toBe(answer(`Process running with session ID ${sessionIn(text)}`, 1, "hi\n"));
    await bench.seen("complete c completed");
    expect(bench.events.at(-1)).toMatch(/ 0 "hi\\nbye\\n"$/);
    expect(await bench.call("write_stdin", { session_id: sessionIn(text) })).toBe(
      answer("Process exited with code 0", 1, "bye\n"),
    );
    expect(await bench.call("write_stdin", { session_id: sessionIn(text) })).toBe(
      `write_stdin failed: Unknown process id ${sessionIn(text)}`,
    );
  });

  test("kills the process group of an exited command", async () => {
    const text = await bench.call("exec_command", { cmd: "sleep 300 & echo $!" });
    const pid = Number(/Output:\n(\d+)/.exec(text)?.[1]);
    expect(await isGone(pid)).toBe(true);
  });

  test("keeps a command running when the turn is interrupted", async () => {
    const abort = new AbortController();
    const running = bench.call(
      "exec_command",
      { cmd: "echo up; sleep 300" },
      { callId: "c", signal: abort.signal },
    );
    await bench.seen("delta c");
    abort.abort();
    await running;
    const [terminal] = bench.exec.terminals.list(THREAD);
    expect(terminal).toEqual({
      itemId: "c",
      processId: expect.stringMatching(/^\d+$/) as string,
      command: "echo up; sleep 300",
      cwd: "/",
    });
  });

  test("uses the requested folder and shell", async () => {
    expect(await bench.call("exec_command", { cmd: "pwd", workdir: "usr" })).toContain("Output:\n/usr\n");
    expect(await bench.call("exec_command", { cmd: "echo $0", shell: "sh" })).toMatch(/Output:\n\S*\/sh\n$/);
    expect(await bench.call("exec_command", { cmd: "echo $0", shell: "/opt/fish" })).toContain(
      "Output:\n/bin/sh\n",
    );
  });

  test("allocates a terminal on request", async () => {
    expect(await bench.call("exec_command", { cmd: "test -t 0 && stty size", tty: true })).toBe(
      answer("Process exited with code 0", 2, "24 80\r\n"),
    );
  });

  test("reports why a command could not be started, also in its item", async () => {
    expect(await bench.call("exec_command", { cmd: "pwd", workdir: "/nowhere" }, { callId: "c" })).toBe(
      'exec_command failed: CreateProcess { message: "Rejected(\\"Failed to create unified exec process: No such file or directory (os error 2)\\")" }',
    );
    expect(bench.events).toEqual([
      "begin c inProgress unifiedExecStartup no process /bin/bash -lc pwd null null",
      'complete c failed unifiedExecStartup no process /bin/bash -lc pwd -1 "Failed to create unified exec process: No such file or directory (os error 2)"',
    ]);
    expect(bench.exec.terminals.list(THREAD)).toEqual([]);
  });

  test.each([
    ["{}", "failed to parse function arguments: missing field `cmd` at line 1 column 2"],
    [
      '{"cmd":5}',
      "failed to parse function arguments: invalid type: integer `5`, expected a string at line 1 column 8",
    ],
    [
      '{"cmd":"true","yield_time_ms":-1}',
      "failed to parse function arguments: invalid value: integer `-1`, expected u64 at line 1 column 32",
    ],
    [
      '{"cmd":"ls","sandbox_permissions":"bogus"}',
      "failed to parse function arguments: unknown variant `bogus`, expected one of `use_default`, `require_escalated`, `with_additional_permissions` at line 1 column 41",
    ],
  ])("refuses %s", async (input, expected) => {
    expect(await bench.call("exec_command", input)).toBe(expected);
    expect(bench.events).toEqual([]);
  });

  test("does not run a declined command", async () => {
    const declining = openExecBench({
      decision: { kind: "declined", reason: "rejected by user", cause: "answer" },
    });
    expect(await declining.call("exec_command", { cmd: "true" })).toBe(
      'exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
    );
    expect(declining.events).toEqual([]);
    await declining.close();
  });

  test("runs a command in its sandbox, unless it was released from it", async () => {
    let released = 0;
    const sandbox: Sandbox = {
      ability: { kind: "enforced", by: "bubblewrap" },
      wrap: ({ argv, env }) => ({
        ok: true,
        argv: ["/usr/bin/env", "BOXED=yes", ...argv],
        env,
        release: () => (released += 1),
      }),
    };
    const deps = { sandbox: async () => sandbox };
    const policy: SandboxPolicy = { type: "readOnly" };
    const wrapped = openExecBench({ deps, policy });
    expect(await wrapped.call("exec_command", { cmd: "echo $BOXED" })).toContain("Output:\nyes\n");
    expect(wrapped.events[0]).toContain("/bin/bash -lc 'echo $BOXED'");
    expect(released).toBe(1);
    await wrapped.close();
    const free = openExecBench({
      deps,
      policy,
      decision: { kind: "approved", sandboxed: false, retry: null },
    });
    expect(await free.call("exec_command", { cmd: "echo $BOXED" })).toContain("Output:\n\n");
    await free.close();
  });

  test("does not run a command without an available sandbox", async () => {
    const unable = openExecBench({
      policy: { type: "readOnly" },
      deps: {
        sandbox: async () => ({
          ability: { kind: "none", reason: "no bwrap" },
          wrap: () => ({ ok: false, reason: "no bwrap" }),
        }),
      },
    });
    expect(await unable.call("exec_command", { cmd: "true" })).toBe(
      'exec_command failed: CreateProcess { message: "Rejected(\\"Failed to create unified exec process: no bwrap\\")" }',
    );
    await unable.close();
  });

  test("runs a hundred commands concurrently", async () => {
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, index) => bench.call("exec_command", { cmd: `echo ${index}` })),
    );
    expect(all.map((text) => text.split("Output:\n")[1])).toEqual(
      Array.from({ length: 100 }, (_, index) => `${index}\n`),
    );
  }, 30_000);

  test("holds a flood of 200 MB within bounded memory", async () => {
    const before = process.memoryUsage().rss;
    const text = await bench.call("exec_command", {
      cmd: "head -c 200000000 /dev/zero",
      max_output_tokens: 10,
    });
    expect(text).toContain("Original token count: 50000000");
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
    expect(bench.events.filter((event) => event.startsWith("delta")).length).toBe(10_000);
  }, 30_000);
});

describe("write_stdin", () => {
  test("types into a terminal, shows it, and returns the output", async () => {
    const begun = await bench.call(
      "exec_command",
      { cmd: "cat", tty: true, yield_time_ms: 250 },
      { callId: "c" },
    );
    const session_id = sessionIn(begun);
    expect(await bench.call("write_stdin", { session_id, chars: "hello\n", yield_time_ms: 250 })).toBe(
      answer(`Process running with session ID ${session_id}`, 4, "hello\r\nhello\r\n"),
    );
    expect(await bench.call("write_stdin", { session_id, chars: "\u0004" })).toBe(
      answer("Process exited with code 0", 0, ""),
    );
    await bench.seen("complete c");
    expect(bench.events.filter((event) => !event.startsWith("delta"))).toEqual([
      "begin c inProgress unifiedExecStartup process /bin/bash -lc cat null null",
      'typed c "hello\\n"',
      'typed c "\\u0004"',
      'complete c completed unifiedExecStartup process /bin/bash -lc cat 0 "hello\\r\\nhello\\r\\n"',
    ]);
  });

  test("interrupts a command without a terminal, and refuses other input", async () => {
    const begun = await bench.call("exec_command", { cmd: "sleep 300", yield_time_ms: 250 });
    const session_id = sessionIn(begun);
    expect(await bench.call("write_stdin", { session_id, chars: "abc" })).toBe(
      "write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open",
    );
    expect(await bench.call("write_stdin", { session_id, chars: "\u0003" })).toBe(
      answer("Process exited with code 130", 0, ""),
    );
  });

  test("rejects unknown session ids", async () => {
    expect(await bench.call("write_stdin", { session_id: 4242 })).toBe(
      "write_stdin failed: Unknown process id 4242",
    );
    expect(await bench.call("write_stdin", "{}")).toBe(
      "failed to parse function arguments: missing field `session_id` at line 1 column 2",
    );
  });
});

describe("background terminals", () => {
  const sleeper = { cmd: "trap '' TERM; echo up; sleep 300", yield_time_ms: 250 };

  test("are killed one by one, and their items fail", async () => {
    const session = sessionIn(await bench.call("exec_command", sleeper, { callId: "c" }));
    expect(await bench.exec.terminals.terminate(THREAD, "1")).toBe(false);
    expect(await bench.exec.terminals.terminate("another", String(session))).toBe(false);
    expect(await bench.exec.terminals.terminate(THREAD, String(session))).toBe(true);
    await bench.seen("complete c failed");
    expect(bench.events.at(-1)).toMatch(/ -1 "up\\n"$/);
    expect(bench.exec.terminals.list(THREAD)).toEqual([]);
  });

  test("are ended all together", async () => {
    await Promise.all([bench.call("exec_command", sleeper), bench.call("exec_command", sleeper)]);
    expect(bench.exec.terminals.list(THREAD).length).toBe(2);
    await bench.exec.terminals.clean(THREAD);
    expect(bench.exec.terminals.list(THREAD)).toEqual([]);
  });

  test("are at most 64 per thread: the least recently used is evicted", async () => {
    await bench.call("exec_command", sleeper, { callId: "first" });
    await Promise.all(
      Array.from({ length: 64 }, () => bench.call("exec_command", { cmd: "sleep 300", yield_time_ms: 250 })),
    );
    await bench.seen("complete first failed");
    expect(bench.exec.terminals.list(THREAD).length).toBe(64);
  }, 30_000);
});

describe("the user's shell", () => {
  const command = (text: string, signal = new AbortController().signal) => ({
    itemId: "u",
    threadId: THREAD,
    command: text,
    cwd: "/",
    items: bench.items,
    signal,
  });

  test("runs outside of the tools and adds a record for the model", async () => {
    const outcome = await bench.exec.runUserShell(command("echo user; exit 4"));
    expect({ ...outcome, durationMs: 0, record: outcome.record.replace(/\d+\.\d{4}/, "#") }).toEqual({
      exitCode: 4,
      output: "user\n",
      durationMs: 0,
      record:
        "<user_shell_command>\n<command>\necho user; exit 4\n</command>\n<result>\nExit code: 4\nDuration: # seconds\nOutput:\nuser\n\n</result>\n</user_shell_command>",
    });
    expect(bench.events).toEqual([
      "begin u inProgress userShell no process /bin/bash -lc 'echo user; exit 4' null null",
      'delta u "user\\n"',
      "complete u failed userShell no process /bin/bash -lc 'echo user; exit 4' 4 \"user\\n\"",
    ]);
  });

  test("is ended with the turn", async () => {
    const abort = new AbortController();
    const running = bench.exec.runUserShell(command("echo up; sleep 300", abort.signal));
    await bench.seen("delta u");
    abort.abort();
    expect((await running).output).toBe("command aborted by user");
    expect(bench.events.at(-1)).toMatch(/^complete u failed .* -1 "command aborted by user"$/);
  });
});
