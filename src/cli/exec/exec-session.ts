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
import type { ExecCall, ExecTask, ThreadChoice } from "./exec-call.ts";

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
  const { task, isEphemeral: ephemeral, threadSource } = call;
  const { cwd, folders } = place;
  const wanted = {
    ...(await chooseModel(send, call, cwd)),
    sandbox: call.sandbox,
    cwd,
    runtimeWorkspaceRoots: folders.length === 0 ? null : [cwd, ...folders],
    // Whatever is configured: there is nobody who could answer.
    approvalPolicy: "never",
    config: call.trustsHooks ? { bypass_hook_trust: true } : null,
  } as const satisfies ThreadStartParams;
  const threadId = await findSource(send, task, cwd);
  if (threadId === null) return toSession(await send("thread/start", { ...wanted, ephemeral, threadSource }));
  // What is configured today counts, not what the thread was begun with.
  const { config } = await send("config/read", { cwd });
  const again = {
    ...wanted,
    threadId,
    model: wanted.model ?? config.model,
    modelProvider: wanted.modelProvider ?? config.model_provider,
    sandbox: wanted.sandbox ?? config.sandbox_mode,
    excludeTurns: true,
  };
  if (task.kind !== "fork") return toSession(await send("thread/resume", again));
  return toSession(await send("thread/fork", { ...again, ephemeral, threadSource }));
}

/** The models that servers on this machine are asked for by default. */
const LOCAL_MODELS: Readonly<Record<string, string>> = {
  ollama: "gpt-oss:20b",
  lmstudio: "openai/gpt-oss-20b",
};

async function chooseModel(send: Send, { model, localProvider }: ExecCall, cwd: string) {
  if (localProvider === null) return { model, modelProvider: null };
  const chosen = localProvider || (await send("config/read", { cwd })).config["oss_provider"];
  if (typeof chosen !== "string") {
    const known = Object.keys(LOCAL_MODELS).sort().join(", ");
    throw new Error(
      `No default OSS provider configured. Use --local-provider=provider or set oss_provider to one of: ${known} in config.toml`,
    );
  }
  const usual = Object.hasOwn(LOCAL_MODELS, chosen) ? LOCAL_MODELS[chosen] : undefined;
  return { model: model ?? usual ?? null, modelProvider: chosen };
}

/** The thread to go on with; null for a new one. */
async function findSource(send: Send, task: ExecTask, cwd: string): Promise<string | null> {
  if (task.kind === "resume") return findThread(send, task.choice, cwd);
  if (task.kind !== "fork") return null;
  const found = await findThread(send, { thread: task.thread, isLast: false, isAnyFolder: true }, cwd);
  if (found === null) throw new Error(`Session not found: ${task.thread}`);
  return found;
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
