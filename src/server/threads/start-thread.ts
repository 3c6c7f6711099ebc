import { isDeepStrictEqual } from "node:util";
import type { Thread } from "../../engine/thread-options.ts";
import type { ThreadStartParams } from "../../protocol/generated/types.ts";
import { rulesWarning } from "../setup/open-rules.ts";
import { readDynamicTools } from "./read-dynamic-tools.ts";
import type { LoaderParts, LoadingClient } from "./thread-loader.ts";
import { describeOrigin } from "./thread-origin.ts";
import { resolveTrusting } from "./thread-resolution.ts";

/** A new thread; its file is made with its first turn. */
export async function startThread(
  { options, rulesOf, load }: LoaderParts,
  params: ThreadStartParams,
  client: LoadingClient,
): Promise<Thread> {
  const resolved = await resolveTrusting(params, options);
  const rules = rulesOf(resolved);
  const warning = rulesWarning(await rules());
  if (warning !== null && !isDeepStrictEqual(warning, await options.rulesWarning())) client.warn(warning);
  const threadId = options.createId();
  const dynamicTools = readDynamicTools(params.dynamicTools ?? []);
  const origin = describeOrigin(threadId, resolved, params, options);
  const historyMode = params.historyMode ?? "paginated";
  const isKept = params.ephemeral !== true;
  const journal = isKept ? (await options.history()).create({ ...origin, dynamicTools, historyMode }) : null;
  const loading = {
    threadId,
    resolved,
    wishes: params,
    dynamicTools,
    journal,
    resumed: null,
    recordedModel: null,
  };
  return load(
    { ...loading, origin: { ...origin, historyMode, forkedFromId: null, beginning: "new" } },
    client,
    rules,
  );
}
