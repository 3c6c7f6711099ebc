import { describe, expect, test, vi } from "vitest";
import { begun, completed, FAST, openScripted as open, thread, turn } from "./scripted-client.fixture.ts";
import type { AnswerRequest, ReceivedRequest } from "./scripted-server.fixture.ts";

describe("a thread that is not there at once after a loss", () => {
  const BUSY = "thread t already has an active writer";
  const refused = ({ id }: ReceivedRequest, text: string) => ({ id, error: { code: -32600, message: text } });
  const history = ({ id }: ReceivedRequest, data: readonly object[]) => ({ id, result: { data } });

  /** Drops the connection with the first turn, and then answers resumptions with the given responses. */
  function losing(
    resume: (asked: ReceivedRequest, nth: number) => object,
    others: AnswerRequest,
  ): AnswerRequest {
    let resumed = 0;
    let isLost = false;
    return (asked) => {
      if (asked.method === "thread/start") return [thread(asked)];
      if (asked.method === "thread/resume") return [resume(asked, ++resumed)];
      if (asked.method === "turn/start" && !isLost) {
        isLost = true;
        return [begun(asked), null];
      }
      return others(asked);
    };
  }

  test("is asked for until it is, and its turn ends as its history says", async () => {
    const onWarning = vi.fn();
    const { client, server } = await open(
      losing(
        (asked, nth) => (nth < 4 ? refused(asked, BUSY) : thread(asked)),
        (asked) =>
          asked.method === "thread/turns/list"
            ? [history(asked, [turn("interrupted")])]
            : [{ id: asked.id, result: { turn: { ...turn("inProgress"), id: "next" } } }],
      ),
      { reconnect: FAST, onWarning },
    );
    const started = await client.startThread();
    expect((await started.run("x")).turn.status).toBe("interrupted");
    const next = started.stream("y");
    expect(await next.turnId).toBe("next");
    expect(onWarning).not.toHaveBeenCalled();
    server.cut();
    await expect(next.result).rejects.toThrow("turn next does not run any more");
  });

  test("keeps a turn waiting that is about to be started, and nothing that only looks", async () => {
    const gate = { isOpen: false };
    const { client, server } = await open(
      losing(
        (asked) => (gate.isOpen ? thread(asked) : refused(asked, BUSY)),
        (asked) => {
          if (asked.method === "turn/start") return [begun(asked), completed()];
          return [history(asked, asked.method === "model/list" ? [] : [turn("completed")])];
        },
      ),
      { reconnect: FAST },
    );
    const started = await client.startThread();
    const first = started.run("x");
    await vi.waitFor(() => expect(server.opened()).toBe(2));
    const second = client.runTurn({ threadId: "t", input: "y" });
    expect(await client.model.list()).toEqual({ data: [] });
    expect(server.asked.filter(({ method }) => method === "turn/start")).toHaveLength(1);
    gate.isOpen = true;
    expect([(await first).turn.status, (await second).status]).toEqual(["completed", "completed"]);
    expect(server.asked.filter(({ method }) => method === "turn/start")).toHaveLength(2);
  });

  test("fails its turn and what waits for it when the time is over, and says so", async () => {
    const onWarning = vi.fn();
    const { client, server } = await open(
      losing(
        (asked) => refused(asked, BUSY),
        (asked) => [history(asked, [turn("inProgress")])],
      ),
      { reconnect: { firstDelayMs: 1, forMs: 300 }, onWarning },
    );
    const started = await client.startThread();
    const first = started.run("x");
    first.catch(() => {});
    await vi.waitFor(() => expect(server.opened()).toBe(2));
    const why = "thread t is not followed any more: the server did not let it be resumed in time";
    await expect(started.run("y")).rejects.toThrow(`cannot send turn/start: ${why}`);
    await expect(first).rejects.toMatchObject({ kind: "lost", mayBeDone: true });
    expect(onWarning.mock.calls).toEqual([[why]]);
  });

  test.each([
    [
      "is gone for good",
      (asked: ReceivedRequest) => refused(asked, "no rollout found"),
      [],
      "no rollout found",
    ],
    ["does not know the turn", thread, [], "it is not in the thread's history"],
    ["does not run it", thread, [turn("inProgress")], "it was still running"],
  ] as const)("fails its turn where it %s", async (_, resume, data, why) => {
    const { client } = await open(
      losing(resume, (asked) => [history(asked, data)]),
      { reconnect: FAST },
    );
    const started = await client.startThread();
    await expect(started.run("x")).rejects.toThrow(why);
  });

  test("has the end of its turn told by the server where it still runs", async () => {
    const { client, server } = await open(
      losing(
        ({ id }) => ({ id, result: { thread: { id: "t", status: { type: "active", activeFlags: [] } } } }),
        (asked) => [refused(asked, "ephemeral threads do not support thread/turns/list")],
      ),
      { reconnect: FAST },
    );
    const running = (await client.startThread()).run("x");
    await vi.waitFor(() => expect(server.asked.at(-1)?.method).toBe("thread/turns/list"));
    server.send(completed());
    expect((await running).turn.status).toBe("completed");
  });

  test("is not asked for any more once the client is closed", async () => {
    const { client, server } = await open(
      losing(
        (asked) => refused(asked, BUSY),
        (asked) => [history(asked, [])],
      ),
      { reconnect: { firstDelayMs: 1, forMs: 60_000 } },
    );
    const started = await client.startThread();
    const running = started.run("x");
    running.catch(() => {});
    await vi.waitFor(() => expect(server.asked.length).toBeGreaterThan(3));
    const next = started.run("y");
    await Promise.all([client.close(), expect(next).rejects.toThrow("cannot send turn/start")]);
    await expect(running).rejects.toThrow("before the turn ended");
  });
});
