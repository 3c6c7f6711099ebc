import { encodeNotification } from "../../jsonrpc/message.ts";
import type { ServerNotifications } from "../../protocol/generated/types.ts";
import type { NotificationMethod } from "../legacy/legacy-event.ts";

export type EncodeNotice = <M extends NotificationMethod>(
  method: M,
  params: ServerNotifications[M],
  nowMs: number,
) => string;

type TextDelta = ServerNotifications["item/agentMessage/delta"];

/** Notifications with the members of `TextDelta` and no others. */
const TEXT_DELTAS: ReadonlySet<NotificationMethod> = new Set([
  "item/agentMessage/delta",
  "item/commandExecution/outputDelta",
]);

/** Deltas of an item differ in their text only, so the text before it is kept: that halves the time to encode a delta. */
export function createNoticeEncoder(): EncodeNotice {
  let beginning = "";
  let last: (Omit<TextDelta, "delta"> & { readonly method: NotificationMethod }) | null = null;

  function encodeDelta(method: NotificationMethod, params: TextDelta, nowMs: number): string {
    const { threadId, turnId, itemId, delta } = params;
    if (
      last === null ||
      last.itemId !== itemId ||
      last.turnId !== turnId ||
      last.threadId !== threadId ||
      last.method !== method
    ) {
      const ids = { threadId, turnId, itemId };
      last = { method, ...ids };
      beginning = `{"method":${JSON.stringify(method)},"params":${JSON.stringify(ids).slice(0, -1)},"delta":`;
    }
    return `${beginning}${JSON.stringify(delta)}},"emittedAtMs":${nowMs}}`;
  }

  return (method, params, nowMs) =>
    TEXT_DELTAS.has(method)
      ? encodeDelta(method, params as TextDelta, nowMs)
      : encodeNotification(method, params, nowMs);
}
