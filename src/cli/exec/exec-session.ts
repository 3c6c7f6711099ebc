/** The thread of a call: a new one, or one that goes on. Nobody is asked anything while it works. */
import type { Client, Method } from "../../client/client.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import type {
  ClientRequests,
  ThreadListParams,
  ThreadSourceKind,
  ThreadStartParams,
  ThreadStartResponse,
} from "../../protocol/generated/types.ts";
import type { ExecCall, ThreadChoice } from "./exec-call.ts";

export type ExecSession = Pick<
  ThreadStartResponse,
  | "model"
  | "modelProvider"
  | "cwd"
  | "approvalPolicy"
  | "sandbox"
  | "reasoningEffort"
  | "runtimeWorkspaceRoots"
> & { readonly threadId: string };

/** Where the call works, once its folders are known to be there. */
export interface Workplace {
  readonly cwd: string;
  /** Beside it, where commands may write. */
  readonly folders: readonly string[];
}

export type Send = <M extends Method>(
  method: M,
  params: ClientRequests[M]["params"],
) => Promise<ClientRequests[M]["result"]>;

/** A request whose failure is told with the method that failed. */
export function sendThrough(client: Client): Send {
  return (method, params) =>
    client.request(method, params).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
      throw new Error(`${method}: ${method} failed: ${error.message} (code ${error.code})`, { cause: error });
    });
}

export async function openSession(send: Send, call: ExecCall, place: Workplace): Promise<ExecSession> {
  const { cwd, folders } = place;
  const wanted = {
    model: call.model,
    sandbox: call.sandbox,
    cwd,
    runtimeWorkspaceRoots: folders.length === 0 ? null : [cwd, ...folders],
    // Whatever is configured: there is nobody who could answer.
    approvalPolicy: "never",
    config: call.trustsHooks ? { bypass_hook_trust: true } : null,
  } as const satisfies ThreadStartParams;
  const threadId = call.resume === null ? null : await findThread(send, call.resume, cwd);
  if (threadId === null) {
    const asked = { ...wanted, ephemeral: call.isEphemeral, threadSource: "user" };
    return toSession(await send("thread/start", asked));
  }
  // What is configured today counts, not what the thread was begun with.
  const { config } = await send("config/read", { cwd });
  return toSession(
    await send("thread/resume", {
      ...wanted,
      threadId,
      model: wanted.model ?? config.model,
      modelProvider: config.model_provider,
      sandbox: wanted.sandbox ?? config.sandbox_mode,
      excludeTurns: true,
    }),
  );
}

function toSession({ thread, ...settings }: ThreadStartResponse): ExecSession {
  return { threadId: thread.id, ...settings };
}

const ALL_KINDS: readonly ThreadSourceKind[] = ["cli", "vscode", "exec", "appServer", "subAgent", "unknown"];
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Null where there is none such: then a new one begins. */
async function findThread(
  send: Send,
  { thread, isLast, isAnyFolder }: ThreadChoice,
  cwd: string,
): Promise<string | null> {
  if (!isLast && (thread === null || UUID.test(thread))) return thread;
  const query: ThreadListParams = {
    sortKey: "updated_at",
    sourceKinds: [...ALL_KINDS],
    cwd: isAnyFolder ? null : cwd,
    ...(isLast ? { limit: 1 } : { limit: 100, modelProviders: [], searchTerm: thread }),
  };
  for (let cursor: string | null = null; ; ) {
    const page: ClientRequests["thread/list"]["result"] = await send("thread/list", { ...query, cursor });
    const found = page.data.find(({ name }) => isLast || name === thread);
    if (found !== undefined) return found.id;
    cursor = page.nextCursor;
    if (cursor === null) return null;
  }
}
