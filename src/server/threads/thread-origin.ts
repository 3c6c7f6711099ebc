import { BASE_INSTRUCTIONS } from "../../engine/context/base-instructions.ts";
import { workspaceRootsOf } from "../../engine/state/settings.ts";
import { peerVersion } from "../../protocol/peer-version.ts";
import type { ForkOrigin } from "../../store/history/writing.ts";
import { readGitInfo } from "./git-info.ts";
import type { ThreadLoaderOptions } from "./load-thread.ts";
import type { Resolved, ThreadWishes } from "./thread-resolution.ts";

/** What the first line of a new thread says of it. */
export function describeOrigin(
  threadId: string,
  { settings }: Resolved,
  wishes: ThreadWishes,
  { identity, clock }: ThreadLoaderOptions,
) {
  return {
    threadId,
    createdAtMs: clock.now(),
    cwd: settings.cwd,
    workspaceRoots: workspaceRootsOf(settings),
    originator: identity.originator,
    version: peerVersion,
    source: "vscode",
    threadSource: wishes.threadSource ?? null,
    modelProvider: settings.modelProvider,
    baseInstructions: settings.baseInstructions ?? BASE_INSTRUCTIONS,
    git: readGitInfo(settings.cwd),
  } satisfies ForkOrigin;
}
