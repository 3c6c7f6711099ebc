import { describe, expect, test } from "vitest";
import { answered, CLIENT, more, openPermissions } from "./permissions.fixture.ts";

const NETWORK = { ...more, requested: { network: true, read: [], write: [] } };
const grant = (permissions: object, scope?: string) => ({
  kind: "answered",
  result: { permissions, ...(scope === undefined ? {} : { scope }) },
  from: "editor",
});
const decision = (outcome: string, reason: string, by: object = CLIENT) => ({
  subject: "permissions",
  outcome,
  by,
  reason,
  atMs: undefined,
});

describe("permission for more than the sandbox allows", () => {
  test("is asked for with what is requested", async () => {
    const { questions } = await answered(more, grant({}));
    expect(questions).toEqual([
      {
        threadId: "thread",
        turnId: "turn",
        itemId: "call",
        environmentId: "local",
        startedAtMs: expect.any(Number),
        cwd: "/project",
        reason: null,
        permissions: {
          network: null,
          fileSystem: {
            read: null,
            write: ["/project/a", "/b"],
            entries: ["/project/a", "/b"].map((path) => ({ path: { type: "path", path }, access: "write" })),
          },
        },
      },
    ]);
  });

  test("holds for what was both asked for and granted, in the turn", async () => {
    const given = { fileSystem: { write: ["/project/a", "/etc"] }, network: { enabled: true } };
    const bench = await answered(more, grant(given));
    const granted = { network: false, read: [], write: ["/project/a"] };
    expect(bench.answer).toEqual({ kind: "approved", granted, scope: "turn" });
    expect(bench.done).toEqual([JSON.stringify(["turn", "turn", granted])]);
    expect(await bench.recorded()).toEqual([decision("approved", "for the turn: write /project/a")]);
  });

  test("holds for the session where the client says so", async () => {
    const bench = await answered(NETWORK, grant({ network: { enabled: true } }, "session"));
    expect(bench.done).toEqual([JSON.stringify(["turn", "session", NETWORK.requested])]);
    expect(await bench.recorded()).toEqual([decision("approved", "for the session: the network")]);
  });

  test("is refused by granting nothing of it", async () => {
    const bench = await answered(NETWORK, grant({}, "session"));
    expect(bench.answer).toEqual({
      kind: "declined",
      reason: "rejected by user",
      cause: "answer",
      scope: "session",
    });
    expect(bench.done).toEqual([]);
    expect(await bench.recorded()).toEqual([decision("denied", "rejected by user")]);
  });

  test("is refused where nobody may be asked, and where nobody answers", async () => {
    const bench = openPermissions({ policy: { mayAskForAdditional: false } });
    expect(await bench.request(NETWORK)).toMatchObject({ kind: "declined", cause: "policy" });
    expect(bench.asked).toEqual([]);
    expect(await bench.recorded()).toEqual([decision("denied", "nobody may be asked", { kind: "policy" })]);
    const late = await answered(NETWORK, { kind: "unanswered", reason: "too late", cause: "timeOut" });
    expect(late.answer.kind).toBe("declined");
    expect(await late.recorded()).toEqual([decision("denied", "too late", { kind: "timeOut" })]);
  });

  test("that cannot be recorded is not granted", async () => {
    const close = () => Promise.reject(new Error("a full disk"));
    const given = grant({ network: { enabled: true } }, "session");
    const bench = await answered(NETWORK, given, { decisions: { close } });
    expect(bench.answer.kind).toBe("declined");
    expect(bench.done).toEqual([]);
  });
});
