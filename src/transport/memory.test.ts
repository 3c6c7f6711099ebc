import { createDeferred } from "../base/deferred.ts";
import { createMemoryTransports } from "./memory.ts";
import { transportContract } from "./transport.contract.ts";

transportContract("memory", async () => {
  const [server, other] = createMemoryTransports();
  const received: string[] = [];
  const closed = createDeferred<void>();
  other.start({ message: (text) => received.push(text), closed: () => closed.resolve() });
  return {
    server,
    client: {
      send: (text) => other.send(text, "answer"),
      received,
      drop: () => other.close(),
      closed: closed.promise,
    },
    dispose: async () => other.close(),
  };
});
