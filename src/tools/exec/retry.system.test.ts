import { afterEach, expect, test } from "vitest";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { PermissionAnswer, Retry } from "../permission.ts";
import { type ExecBench, openExecBench } from "./fixtures/exec-bench.ts";

let bench: ExecBench | undefined;
afterEach(() => bench?.close());

/** A sandbox that sets a variable for its commands, which then behave as if they were confined. */
const sandbox: Sandbox = {
  ability: { kind: "enforced", by: "bubblewrap" },
  wrap: ({ argv, env }) => ({ ok: true, argv: ["/usr/bin/env", "BOXED=yes", ...argv], env, release() {} }),
};
const DENIED = 'test -z "$BOXED" || { echo Permission denied; exit 1; }; echo free';
const approved = (retry: Retry | null): PermissionAnswer<"command"> => ({
  kind: "approved",
  sandboxed: true,
  retry,
});

/** Allows the first run, and decides so about a run without the sandbox; `retries` has what came with each request. */
function open(first: PermissionAnswer<"command">, second?: PermissionAnswer<"command">) {
  const retries: (Retry | null)[] = [];
  bench = openExecBench({
    policy: { type: "readOnly" },
    deps: { sandbox: async () => sandbox },
    decide(request) {
      retries.push(request.kind === "command" ? request.afterDenial : null);
      return retries.length === 1 ? first : (second ?? first);
    },
  });
  return { bench, retries };
}

test("a command that its sandbox stops is retried without it where allowed, and is shown once", async () => {
  const free: PermissionAnswer<"command"> = { kind: "approved", sandboxed: false, retry: null };
  const { bench: place, retries } = open(approved("unapproved"), free);
  expect(await place.call("exec_command", { cmd: DENIED }, { callId: "c" })).toContain("Output:\nfree\n");
  expect(retries).toEqual([null, "unapproved"]);
  expect(place.events.map((event) => event.split(" ").slice(0, 3).join(" "))).toEqual([
    "begin c inProgress",
    'delta c "free\\n"',
    "complete c completed",
  ]);
});

test("a command that may not run without its sandbox is declined, and nothing of the trial shows", async () => {
  const { bench: place } = open(approved("unapproved"), {
    kind: "declined",
    reason: "rejected by user",
    cause: "answer",
  });
  expect(await place.call("exec_command", { cmd: DENIED })).toBe(
    'exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
  );
  expect(place.events).toEqual([]);
});

test("a command stays in its sandbox where no client may decide", async () => {
  const { bench: place, retries } = open(approved(null));
  expect(await place.call("exec_command", { cmd: DENIED })).toContain("Output:\nPermission denied\n");
  expect(retries).toEqual([null]);
});

test("a command that fails for another reason is not retried", async () => {
  const { bench: place, retries } = open(approved("approved"));
  expect(await place.call("exec_command", { cmd: "echo no; exit 3" }, { callId: "c" })).toContain("code 3");
  expect(retries).toEqual([null]);
  expect(place.events.map((event) => event.split(" ")[0])).toEqual(["begin", "delta", "complete"]);
});
