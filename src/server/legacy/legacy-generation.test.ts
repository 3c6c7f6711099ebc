import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createPendingRequests } from "../../jsonrpc/pending-requests.ts";
import { ALL_SCOPES } from "../../protocol/access/scopes.ts";
import { createChecker } from "../../protocol/check.ts";
import { definitions } from "../../protocol/generated/table.ts";
import type { FileUpdateChange, ThreadItem } from "../../protocol/generated/types.ts";
import { NO_EXTENSIONS } from "../../tools/mcp/client-extensions.ts";
import { NO_BACKLOG } from "../../transport/transport.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { createNotifier } from "../connections/notifier.ts";
import { createOutboundRequests } from "../connections/outbound-requests.ts";
import { createThreadSubscriptions } from "../connections/thread-subscriptions.ts";
import { createLegacyGeneration } from "./legacy-generation.ts";

const COMMAND = "item/commandExecution/requestApproval";
const PATCH = "item/fileChange/requestApproval";
const scope = { threadId: "thread", turnId: "turn", itemId: "call", startedAtMs: 0 };
const command = { ...scope, kind: "command" as const, command: "git push 'a b'", cwd: "/work" };

function open() {
  const pending = createPendingRequests();
  const subscriptions = createThreadSubscriptions();
  const legacy = createLegacyGeneration();
  const requests = createOutboundRequests({
    clock: { now: () => 0 },
    pending,
    subscriptions,
    checker: createChecker(definitions),
    legacy,
    log: silentLogger,
  });
  const notifier = createNotifier({
    connections: () => [],
    subscriptions,
    clock: { ...systemClock, now: () => 7 },
    legacy,
  });
  const subscribe = (legacyApprovals: boolean, optedOut: readonly string[] = []) => {
    const received: unknown[] = [];
    const connection: ClientConnection = {
      id: 0,
      subject: null,
      openedAtMs: 0,
      scopes: ALL_SCOPES,
      isLimited: false,
      own: null,
      follows: null,
      handshake: {
        phase: "ready",
        clientName: "t",
        clientVersion: "1",
        experimental: false,
        optedOut: new Set(optedOut),
        legacyApprovals,
        mcp: NO_EXTENSIONS,
      },
      greeting: null,
      inFlight: 0,
      onIdle: () => {},
      accepts: (method) => !optedOut.includes(method),
      send: (text) => void received.push(JSON.parse(text)),
      delayNotices: () => {},
      backlog: NO_BACKLOG,
      close: () => {},
    };
    subscriptions.add("thread", connection);
    return { connection, received };
  };
  const notify: typeof notifier.to extends (connections: never, ...rest: infer Rest) => void
    ? (...rest: Rest) => void
    : never = (...rest) => notifier.to(subscriptions.of("thread"), ...rest);
  return { pending, requests, subscribe, notify, notifier };
}

const patchItem = (changes: FileUpdateChange[]): ThreadItem => ({
  type: "fileChange",
  id: "call",
  status: "inProgress",
  changes,
});

test("an event says which conversation it is of, also where today's notification does not", () => {
  const { notifier, subscribe } = open();
  const { received } = subscribe(true, ["account/rateLimits/updated"]);
  const rateLimits = { limitId: null, limitName: null, primary: null, secondary: null } as never;
  notifier.ofThread("thread", "account/rateLimits/updated", { rateLimits });
  expect(received).toEqual([
    {
      method: "codex/event/token_count",
      params: expect.objectContaining({ conversationId: "thread" }) as object,
    },
  ]);
});

describe("an approval", () => {
  test("of a command is asked in the words of each client, under one id", () => {
    const { requests, subscribe } = open();
    const [older, newer] = [subscribe(true), subscribe(false)];
    requests.open("thread", COMMAND, command);
    const members = { command: ["git", "push", "a b"], cwd: "/work" };
    expect(newer.received).toEqual([{ method: COMMAND, id: 0, params: command }]);
    expect(older.received).toEqual([
      {
        method: "codex/event/exec_approval_request",
        params: {
          conversationId: "thread",
          id: "turn",
          msg: {
            type: "exec_approval_request",
            call_id: "call",
            turn_id: "turn",
            ...members,
            parsed_cmd: [],
          },
        },
      },
      {
        method: "execCommandApproval",
        id: 0,
        params: { conversationId: "thread", callId: "call", ...members, parsedCmd: [] },
      },
    ]);
  });

  test("of a patch names the files that the item has shown before", () => {
    const { requests, subscribe, notify } = open();
    const { received } = subscribe(true, ["codex/event/apply_patch_approval_request"]);
    const changes: FileUpdateChange[] = [{ path: "/a", kind: { type: "delete" }, diff: "gone\n" }];
    notify("item/started", { ...scope, item: patchItem(changes) });
    requests.open("thread", PATCH, { ...scope, reason: "outside", grantRoot: "/" });
    expect(received.at(-1)).toEqual({
      method: "applyPatchApproval",
      id: 0,
      params: {
        conversationId: "thread",
        callId: "call",
        fileChanges: { "/a": { type: "delete", content: "gone\n" } },
        reason: "outside",
        grantRoot: "/",
      },
    });
  });

  test("is asked again of a client that joins, without its event", () => {
    const { requests, subscribe } = open();
    requests.open("thread", COMMAND, command);
    const { connection, received } = subscribe(true);
    requests.replay("thread", connection);
    expect(received).toEqual([expect.objectContaining({ method: "execCommandApproval", id: 0 })]);
  });

  test("that the first generation does not know is asked in today's words", () => {
    const { requests, subscribe } = open();
    const { received } = subscribe(true);
    requests.open("thread", "currentTime/read", { threadId: "thread" });
    expect(received).toEqual([{ method: "currentTime/read", id: 0, params: { threadId: "thread" } }]);
  });
});

const AMENDMENT = ["git", "push"];
const NETWORK = { host: "example.org", action: "allow" };

describe("an answer of the first generation", () => {
  test.each([
    [COMMAND, "approved", "accept"],
    [COMMAND, "approved_for_session", "acceptForSession"],
    [COMMAND, "denied", "decline"],
    [COMMAND, { denied: { rejection: "not here" } }, "decline"],
    [COMMAND, "timed_out", "decline"],
    [COMMAND, "abort", "cancel"],
    [
      COMMAND,
      { approved_execpolicy_amendment: { proposed_execpolicy_amendment: AMENDMENT } },
      { acceptWithExecpolicyAmendment: { execpolicy_amendment: AMENDMENT } },
    ],
    [
      COMMAND,
      { network_policy_amendment: { network_policy_amendment: NETWORK } },
      { applyNetworkPolicyAmendment: { network_policy_amendment: NETWORK } },
    ],
    [PATCH, "approved", "accept"],
    [PATCH, "approved_for_session", "acceptForSession"],
    [PATCH, "denied", "decline"],
    [PATCH, "abort", "cancel"],
  ] as const)("to %s that says %j means %j", async (method, decision, meant) => {
    const { requests, pending, subscribe } = open();
    subscribe(true);
    const { id, answer } = requests.open("thread", method, method === COMMAND ? command : (scope as never));
    pending.resolve(id, { decision });
    expect(await answer).toEqual({ kind: "answered", result: { decision: meant } });
  });

  test.each([
    [COMMAND, { decision: "approved_mcp_policy_amendment" }],
    [COMMAND, { decision: "perhaps" }],
    [COMMAND, { decision: { approved: {} } }],
    [COMMAND, { action: "accept" }],
    [COMMAND, "approved"],
    [COMMAND, null],
    [PATCH, { decision: { approved_execpolicy_amendment: { proposed_execpolicy_amendment: AMENDMENT } } }],
    [PATCH, { decision: { network_policy_amendment: { network_policy_amendment: NETWORK } } }],
  ] as const)("to %s that is %j is none, which denies", async (method, result) => {
    const { requests, pending, subscribe } = open();
    subscribe(true);
    const { id, answer } = requests.open("thread", method, method === COMMAND ? command : (scope as never));
    pending.resolve(id, result);
    expect(await answer).toMatchObject({ kind: "unanswered", cause: "nonsense" });
  });

  test("that is an error denies", async () => {
    const { requests, pending, subscribe } = open();
    subscribe(true);
    const { id, answer } = requests.open("thread", COMMAND, command);
    pending.reject(id, { code: -32_000, message: "not now" });
    expect(await answer).toEqual({ kind: "unanswered", reason: "not now" });
  });

  test("counts only where a client was asked in those words", async () => {
    const { requests, pending, subscribe } = open();
    subscribe(false);
    const { id, answer } = requests.open("thread", COMMAND, command);
    pending.resolve(id, { decision: "approved" });
    expect(await answer).toMatchObject({ kind: "unanswered" });
  });

  test.each([
    ["older", { decision: "approved" }, { decision: "decline" }, "accept"],
    ["newer", { decision: "decline" }, { decision: "approved" }, "decline"],
  ])(
    "and one of today's: the first of both wins, here the %s one",
    async (_name, first, second, decision) => {
      const { requests, pending, subscribe } = open();
      subscribe(true);
      subscribe(false);
      const { id, answer } = requests.open("thread", COMMAND, command);
      expect([pending.resolve(id, first), pending.resolve(id, second)]).toEqual([true, false]);
      expect(await answer).toEqual({ kind: "answered", result: { decision } });
    },
  );
});

describe("a notification", () => {
  const delta = { threadId: "thread", turnId: "turn", itemId: "call", delta: "a" };
  const typed = { method: "item/agentMessage/delta", params: delta, emittedAtMs: 7 };
  const event = {
    method: "codex/event/agent_message_delta",
    params: { conversationId: "thread", id: "turn", msg: { type: "agent_message_delta", delta: "a" } },
  };

  test("reaches a client of the first generation as an event beside the typed one", () => {
    const { subscribe, notify } = open();
    const [older, newer] = [subscribe(true), subscribe(false)];
    notify("item/agentMessage/delta", delta);
    expect([older.received, newer.received]).toEqual([[event, typed], [typed]]);
  });

  test("and its event can each be opted out of", () => {
    const { subscribe, notify } = open();
    const [noTyped, noEvent] = [subscribe(true, [typed.method]), subscribe(true, [event.method])];
    notify("item/agentMessage/delta", delta);
    expect([noTyped.received, noEvent.received]).toEqual([[event], [typed]]);
  });

  test("that is experimental or about no thread makes no event for a plain client", () => {
    const { subscribe, notify } = open();
    const { received } = subscribe(true, ["thread/queue/changed", "skills/changed"]);
    notify("thread/queue/changed", { threadId: "thread", queuedTurns: [] });
    notify("skills/changed", {});
    expect(received).toEqual([]);
  });

  test("of the end of a turn tells the last words that were said in it, while the thread is loaded", () => {
    const { subscribe, notify } = open();
    const { received } = subscribe(true, ["item/completed", "turn/completed", "turn/started"]);
    const turn = { id: "turn", status: "completed", error: null } as never;
    const say = (text: string) =>
      notify("item/completed", {
        ...scope,
        completedAtMs: 0,
        item: {
          type: "agentMessage",
          id: text,
          text,
          phase: null,
          memoryCitation: null,
          delivery: null,
          questions: null,
        },
      });
    notify("turn/started", { threadId: "thread", turn });
    say("one");
    say("two");
    notify("turn/completed", { threadId: "thread", turn });
    notify("turn/started", { threadId: "thread", turn });
    notify("turn/completed", { threadId: "thread", turn });
    say("three");
    notify("thread/status/changed", { threadId: "thread", status: { type: "notLoaded" } });
    notify("turn/completed", { threadId: "thread", turn });
    const ends = received.filter((message) => JSON.stringify(message).includes("task_complete"));
    expect(ends).toMatchObject([
      { params: { msg: { last_agent_message: "two" } } },
      { params: { msg: { last_agent_message: null } } },
      { params: { msg: { last_agent_message: null } } },
    ]);
  });
});
