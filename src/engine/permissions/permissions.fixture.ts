import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred, type Deferred } from "../../base/tasks.ts";
import type { CommandDecision } from "../../policy/decide-command.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import type { StoredDecision } from "../../store/decisions.ts";
import type {
  AdditionalPermissionsSubject,
  CommandSubject,
  FileChangeSubject,
  McpCallSubject,
  PermissionSubject,
  PresetPermission,
} from "../../tools/permission.ts";
import type { CallDescription, ItemLog } from "../../tools/tool.ts";
import { createDecisionLog } from "./decision-log.fixture.ts";
import type { DecisionLog } from "./decision-log.ts";
import type { HookAnswer, PermissionOptions } from "./permission-kind.ts";
import type { PermissionPolicy } from "./permission-policy.ts";
import { createPermissions } from "./permissions.ts";
import { type Clients, createQuestions, type OpenRequest } from "./questions.ts";

export type Given = Awaited<OpenRequest<never>["answer"]>;

const call: CallDescription = { kind: "function", name: "work", aliases: [], input: {} };

export const command: CommandSubject = {
  kind: "command",
  call,
  item: {
    type: "commandExecution",
    id: "call",
    pluginId: null,
    scriptPath: null,
    command: "make",
    cwd: "/project",
    processId: null,
    source: "agent",
    status: "inProgress",
    commandActions: [],
    aggregatedOutput: null,
    exitCode: null,
    durationMs: null,
  },
  argv: ["make"],
  cwd: "/project",
  tty: false,
  shell: "/bin/bash",
  reason: null,
  escalated: false,
  wantedPrefix: null,
  afterDenial: null,
};
export const patch: FileChangeSubject = {
  kind: "fileChange",
  call,
  item: { type: "fileChange", id: "call", changes: [], status: "inProgress" },
  paths: ["/project/a"],
};
export const mcpCall: McpCallSubject = {
  kind: "mcpToolCall",
  call,
  itemId: "call",
  server: "one",
  tool: { name: "danger", title: "Danger", description: "Destroys", inputSchema: {} },
  mode: "auto",
  args: { path: "/x" },
};
export const more: AdditionalPermissionsSubject = {
  kind: "permissions",
  call,
  itemId: "call",
  cwd: "/project",
  reason: null,
  requested: { network: false, read: [], write: ["/project/a", "/b"] },
};

const CAUSE = { kind: "policy", policy: "on-request", why: "the test asks" } as const;
const QUESTION: CommandDecision = {
  kind: "ask",
  reason: null,
  proposedAmendment: ["make"],
  availableDecisions: ["accept", "cancel"],
  sandboxed: true,
  cause: CAUSE,
};

export interface World {
  readonly policy?: Partial<PermissionPolicy>;
  readonly decisions?: Partial<DecisionLog>;
  /** The answer of the hooks, in place of the clients. */
  readonly hookAnswer?: HookAnswer | null;
  readonly preset?: PresetPermission | null;
}

/** Permissions whose questions a test answers; `told` collects the notifications, `done` the grants. */
export function openPermissions(world: World = {}) {
  const { policy, decisions, hookAnswer = null, preset = null } = world;
  const told: string[] = [];
  const done: string[] = [];
  const asked: Deferred<Given>[] = [];
  const questions: unknown[] = [];
  const clock = createFakeClock();
  const turn = new AbortController();
  const notes: string[] = [];
  const stored = createDecisionLog();
  let onRecorded = () => {};
  const log: DecisionLog = {
    ...stored,
    async close(...entry) {
      const isOpen = await stored.close(...entry);
      onRecorded();
      return isOpen;
    },
    ...decisions,
  };
  const clients: Clients = {
    open(_threadId, _method, params) {
      questions.push(params);
      const given = createDeferred<Given>();
      asked.push(given);
      return { id: asked.length - 1, answer: given.promise, withdraw() {} };
    },
  };
  const options: PermissionOptions = {
    threadId: "thread",
    turnId: "turn",
    signal: turn.signal,
    clock,
    log: silentLogger,
    items: showItems(told),
    decisions: log,
    warn: () => void told.push("warning"),
    addNote: (text) => void notes.push(text),
    endTurn: () => turn.abort(),
    hooks: { answer: async () => hookAnswer },
    preset,
    call: null,
    questions: createQuestions({
      threadId: "thread",
      clients,
      clock,
      timeoutMs: 60_000,
      emit: (method) => void told.push(method),
      whenFlushed: () => null,
      onChange() {},
    }),
    policy: {
      allowsRetries: true,
      command: async () => QUESTION,
      fileChange: () => ({ kind: "ask", reason: null, cause: CAUSE }),
      grantCommand: async () => void done.push("granted"),
      grantFiles: () => void done.push("files granted"),
      allowPrefix: async (prefix) => void done.push(`allowed ${prefix.join(" ")}`),
      mcpCall: () => ({ kind: "ask", mayLast: true, cause: CAUSE }),
      grantMcpTool: async (_subject, lasting) => void done.push(`granted: ${lasting}`),
      mayAskForAdditional: true,
      mayAsk: true,
      grantAdditional: (...granted) => void done.push(JSON.stringify(granted)),
      ...policy,
    },
  };
  const { request } = createPermissions(options);
  async function recorded() {
    const list = await stored.list({ limit: 9 });
    return list.map(({ subject, verdict }: StoredDecision) => ({
      subject: subject.kind,
      ...verdict,
      atMs: undefined,
    }));
  }
  const listen = (heard: () => void) => {
    onRecorded = heard;
  };
  return { options, request, told, done, notes, asked, questions, clock, turn, recorded, onRecorded: listen };
}

function showItems(told: string[]): ItemLog {
  const show = (word: string) => (item: ThreadItem) =>
    void told.push(`${word} ${"status" in item ? item.status : ""}`);
  return {
    begin: show("begin"),
    complete: show("complete"),
    outputDelta() {},
    terminalInteraction() {},
    mcpProgress() {},
  };
}

/** Runs one request and resolves its only question with the answer. */
export async function answered<S extends PermissionSubject>(subject: S, given: object, world?: World) {
  const bench = openPermissions(world);
  const answer = bench.request(subject);
  await until(() => bench.asked.length > 0);
  bench.asked[0]?.resolve(given as Given);
  return { ...bench, answer: await answer };
}

export async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 50 && !isSo(); tries += 1) await Promise.resolve();
  if (!isSo()) throw new Error("the condition was not met");
}

export const decide = (decision: unknown) => ({ kind: "answered", result: { decision }, from: "editor" });
export const CLIENT = { kind: "client", name: "editor" };
