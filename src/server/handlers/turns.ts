import type { ThreadService } from "../../runtime/thread-service.ts";
import { sign } from "../../runtime/threads/sender.ts";
import { type Handlers, unwrap } from "../connections/handler.ts";

export interface TurnHandlersOptions {
  readonly threads: Pick<ThreadService, "startTurn" | "steer" | "interrupt">;
}

export function createTurnHandlers({
  threads,
}: TurnHandlersOptions): Handlers<"turn/start" | "turn/steer" | "turn/interrupt"> {
  return {
    /** While a turn is running, the input steers it, as with `turn/steer`. */
    async "turn/start"(params, { lane, connection, afterResponse }) {
      const signed = sign(params, connection.subject);
      const { value: turn, begin } = unwrap(await threads.startTurn(lane, signed));
      afterResponse(begin);
      return { turn };
    },

    async "turn/steer"(params, { lane, connection, afterResponse }) {
      const { begin } = unwrap(await threads.steer(lane, sign(params, connection.subject)));
      afterResponse(begin);
      return { turnId: params.expectedTurnId };
    },

    /** An empty id means the running turn. */
    async "turn/interrupt"({ turnId }, { lane, afterResponse }) {
      const { begin } = unwrap(await threads.interrupt(lane, turnId));
      afterResponse(begin);
      return {};
    },
  };
}
