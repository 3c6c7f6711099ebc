import { expect, test } from "vitest";
import type { Clients } from "../../engine/clients.ts";
import { createPendingRequests } from "../../jsonrpc/pending-requests.ts";
import { NO_EXTENSIONS } from "../../tools/mcp/client-extensions.ts";
import { createAnswerers } from "./answerers.ts";
import type { Session } from "./session.ts";

const APPROVAL = "item/fileChange/requestApproval";
const params = { threadId: "thread", turnId: "turn", itemId: "item", startedAtMs: 0 };

function ready(clientName: string): { session: Session } {
  const optedOut = new Set<string>();
  return {
    session: {
      phase: "ready",
      clientName,
      clientVersion: "1",
      experimental: true,
      optedOut,
      legacyApprovals: false,
      mcp: NO_EXTENSIONS,
    },
  };
}

function open() {
  const pending = createPendingRequests();
  const answerers = createAnswerers(pending);
  const ask: Clients["open"] = answerers.named(() => {
    const { id, answer } = pending.open();
    return {
      id,
      answer: answer.then(
        (result) => ({ kind: "answered", result: result as never }),
        () => ({ kind: "unanswered", reason: "refused" }),
      ),
      withdraw() {},
    };
  });
  return { answerers, ask: () => ask("thread", APPROVAL, params) };
}

test("an answer has the name of the client whose answer counted", async () => {
  const { answerers, ask } = open();
  const { id, answer } = ask();
  answerers.seenBy(ready("editor")).resolve(id, { decision: "accept" });
  answerers.seenBy(ready("late")).resolve(id, { decision: "decline" });
  expect(await answer).toEqual({ kind: "answered", result: { decision: "accept" }, from: "editor" });
});

test("an answer of a client without a name has none", async () => {
  const { answerers, ask } = open();
  const { id, answer } = ask();
  answerers.seenBy({ session: { phase: "new" } }).resolve(id, { decision: "accept" });
  expect(await answer).toEqual({ kind: "answered", result: { decision: "accept" } });
});

test("a refusal stays one", async () => {
  const { answerers, ask } = open();
  const { id, answer } = ask();
  answerers.seenBy(ready("editor")).reject(id, { code: 1, message: "no" });
  expect(await answer).toEqual({ kind: "unanswered", reason: "refused" });
});
