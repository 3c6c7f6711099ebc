/** `POST /wake/<token>`: programs outside wake a thread. The token in the path is all that they need. */
import { MAX_WAKE_BODY } from "../../runtime/wake/wake-limits.ts";
import type { AnswerWake } from "../wake/wake-request.ts";
import { readBody } from "./read-body.ts";
import type { Route } from "./route-table.ts";

export function wakeRoute(answerWake: AnswerWake): Route {
  return {
    methods: ["POST"],
    path: "/wake/{token}",
    access: "anyone",
    headers: () => ({ "cache-control": "no-store", "x-content-type-options": "nosniff" }),
    async answer(request, params) {
      const read = await readBody(request, MAX_WAKE_BODY);
      if (read.kind === "refused") return read.answer;
      return answerWake({ token: params["token"] ?? "", headers: request.headers, body: read.bytes });
    },
  };
}
