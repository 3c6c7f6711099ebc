/** Starts, resumes or forks the thread of a call. Approvals are disabled, because no user can answer. */
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

/** Resolved folders of a call. */
export interface ExecWorkspace {
  readonly cwd: string;
  /** Further writable folders. */
  readonly folders: readonly string[];
}

export type Send = <M extends Method>(
  method: M,
  params: ClientRequests[M]["params"],
) => Promise<ClientRequests[M]["result"]>;

/** Sends requests; errors name the failed method. */
export function createSend(client: Client): Send {
  return (method, params) =>
    client.request(method, params).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
      throw new Error(`${method}: ${method} failed: ${error.message} (code ${error.code})`, { cause: error });
    });
}

export async function openSession(
  send: Send,
  call: ExecCall,
  workspace: ExecWorkspace,
): Promise<ExecSession> {
  const { task, isEphemeral: ephemeral, threadSource } = call;
  const { cwd, folders } = workspace;
  const overrides = {
    ...(await chooseModel(send, call, cwd)),
    sandbox: call.sandbox,
    cwd,
    runtimeWorkspaceRoots: folders.length === 0 ? null : [cwd, ...folders],
    // Overrides the configuration, because no user can answer.
    approvalPolicy: "never",
    config: call.trustsHooks ? { bypass_hook_trust: true } : null,
  } as const satisfies ThreadStartParams;
  const threadId = await findSourceThread(send, task, cwd);
  if (threadId === null)
    return toSession(await send("thread/start", { ...overrides, ephemeral, threadSource }));
  // The current configuration wins over the one that the thread was started with.
  const { config } = await send("config/read", { cwd });
  const resumeParams = {
    ...overrides,
    threadId,
    model: overrides.model ?? config.model,
    modelProvider: overrides.modelProvider ?? config.model_provider,
    sandbox: overrides.sandbox ?? config.sandbox_mode,
    excludeTurns: true,
  };
  if (task.kind !== "fork") return toSession(await send("thread/resume", resumeParams));
  return toSession(await send("thread/fork", { ...resumeParams, ephemeral, threadSource }));
}

/** Default models of local providers. */
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
  const defaultModel = Object.hasOwn(LOCAL_MODELS, chosen) ? LOCAL_MODELS[chosen] : undefined;
  return { model: model ?? defaultModel ?? null, modelProvider: chosen };
}

/** The thread to resume or fork; null for a new one. */
async function findSourceThread(send: Send, task: ExecTask, cwd: string): Promise<string | null> {
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

/** Null if no thread matches; the call then starts a new one. */
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
