import type { Layer } from "../../config/layer.ts";

/** Only the user decides where events go: `webhooks` of the user's own files, of which a profile comes last. */
export function ownWebhooks(layers: readonly Layer[]): unknown {
  let value: unknown;
  for (const { source, disabledReason, table } of layers)
    if (source.type === "user" && disabledReason === undefined) value = table["webhooks"] ?? value;
  return value;
}
