/** The variables of one command: the policy's, those that keep output plain, and who it runs for. */
import type { Environment } from "../../base/environment.ts";
import { peerVersion } from "../../protocol/peer-version.ts";
import { applyEnvironmentPolicy, type EnvironmentPolicy } from "./environment-policy.ts";

/** No colours and no pagers: nobody sits at these terminals. */
const PLAIN_OUTPUT = {
  NO_COLOR: "1",
  TERM: "dumb",
  LANG: "C.UTF-8",
  LC_CTYPE: "C.UTF-8",
  LC_ALL: "C.UTF-8",
  COLORTERM: "",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  CODEX_CI: "1",
};

/** The part that is the same for all commands of a policy, from which a login shell starts. */
export function baseEnvironment(own: Environment, policy: EnvironmentPolicy): Record<string, string> {
  return { ...applyEnvironmentPolicy(own, policy), ...PLAIN_OUTPUT, ...policy.set };
}

interface CommandOwner {
  readonly threadId: string;
  readonly sessionId: string;
  readonly callId?: string;
}

export function ownerEnvironment({ threadId, sessionId, callId }: CommandOwner): Record<string, string> {
  return {
    CODEX_THREAD_ID: threadId,
    CODEX_SESSION_ID: sessionId,
    CODEX_VERSION: peerVersion,
    CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS: "1",
    ...(callId === undefined ? {} : { CODEX_TOOL_CALL_ID: callId }),
  };
}
