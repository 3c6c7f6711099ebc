import { expect, test } from "vitest";
import { createMemoryTransports } from "../transport/memory.ts";
import { openClient } from "./client.ts";

interface Sent {
  readonly id?: number;
  readonly method: string;
}

/** A server that answers each request as the test says, and may say more after it; null ends the connection. */
function serve(answer: (message: Sent) => readonly (object | null)[]) {
  const [theirs, ours] = createMemoryTransports();
  const ended = new Promise<void>((resolve) => {
    theirs.start({
      message(text) {
        const message = JSON.parse(text) as Sent;
        for (const said of message.id === undefined ? [] : answer(message)) {
          if (said === null) theirs.close();
          else theirs.send(JSON.stringify(said), "response");
        }
      },
      closed: () => resolve(),
    });
  });
  return { transport: ours, ended };
}

const begun = (id: number | undefined) => ({ id, result: { turn: { id: "turn" } } });
const completed = {
  method: "turn/completed",
  params: { threadId: "t", turn: { id: "turn", status: "completed" } },
};
const params = { threadId: "t", input: [] };

test("a refused introduction ends the connection", async () => {
  const { transport, ended } = serve(({ id }) => [{ id, error: { code: -32600, message: "not you" } }]);
  await expect(openClient(transport)).rejects.toThrow("not you");
  await ended;
});

test("a turn that ends before its beginning is answered has ended, also when the connection ends with it", async () => {
  const { transport } = serve(({ id, method }) =>
    method === "initialize" ? [{ id, result: {} }] : [completed, begun(id), null],
  );
  const client = await openClient(transport);
  expect(await client.runTurn(params)).toEqual({ id: "turn", status: "completed" });
});

test("a turn whose connection ends first is given up", async () => {
  const { transport } = serve(({ id, method }) =>
    method === "initialize" ? [{ id, result: {} }] : [begun(id), null],
  );
  const client = await openClient(transport);
  await expect(client.runTurn(params)).rejects.toThrow("the connection was closed before the turn ended");
});
