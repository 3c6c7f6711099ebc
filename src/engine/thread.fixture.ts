/** A thread on a scripted model, whose notifications are collected in one list. */

import type { Clock } from "../base/clock.ts";
import { type Logger, silentLogger } from "../base/logger.ts";
import { type ModelInfoOverrides, modelInfo } from "../model/catalog/model-info.ts";
import type { Journal } from "../store/journal.ts";
import { type PlainTool, toTool } from "../tools/plain-tool.fixture.ts";
import type { ContextSections, ModelContext } from "./context/context-sections.ts";
import { type EventFollowers, NO_FOLLOWERS } from "./history/durable-events.ts";
import type { HookPorts } from "./hooks/run-configured.ts";
import { createDecisionLog } from "./permissions/decision-log.fixture.ts";
import type { Clients } from "./permissions/questions.ts";
import { createScriptedModel, type Script, type ScriptedModel } from "./scripted-model.fixture.ts";
import type { OnThreadEvent } from "./state/events.ts";
import type { ThreadSettings } from "./state/settings.ts";
import { LoadedThread } from "./thread.ts";
import type { ResumedThread } from "./thread-options.ts";
import { NO_TURN_OPTIONS, type UserMessage } from "./turn/submission.ts";
import type { TurnSetup } from "./turn/turn-setup.ts";

export const testSettings = {
  model: "m",
  modelProvider: "p",
  cwd: "/project",
  machineCwd: null,
  workspaceRoots: null,
  hasMachine: true,
  approvalPolicy: "never",
  approvalsReviewer: "user",
  sandbox: { type: "readOnly" },
  permissionProfile: null,
  effort: null,
  summary: null,
  serviceTier: null,
  personality: null,
  mode: "default",
  modeInstructions: null,
  baseInstructions: "base",
  developerInstructions: null,
} as const;

const NO_CONTEXT: ContextSections = {
  model: "m",
  rules: {},
  docs: null,
  environment: { place: "", time: "", files: "" },
};

/** A context with these sections, and defaults for the others. */
export function contextWith(told: Partial<ContextSections> = {}): ModelContext {
  return { sections: { ...NO_CONTEXT, ...told }, skillsWarning: null };
}

const LONG_MS = 1000;

interface SeenEvent {
  readonly method: string;
  readonly params: unknown;
}

interface StartOptions {
  readonly followers?: EventFollowers;
  readonly info?: ModelInfoOverrides;
  /** Overrides of the default turn setup. */
  readonly setup?: Partial<TurnSetup>;
  /** Overrides that depend on the settings. */
  readonly setupFor?: (settings: ThreadSettings) => Partial<TurnSetup>;
  readonly clients?: Clients;
  readonly rawEvents?: boolean;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly journal?: Journal;
  readonly resumed?: ResumedThread;
  readonly onTakenOver?: () => void;
  readonly onThreadEvent?: OnThreadEvent;
  readonly hooks?: Partial<HookPorts>;
}

/** No hooks are configured. */
const NO_HOOKS: HookPorts = {
  configured: async () => ({ hooks: [], warnings: [], errors: [] }),
  checked: async (set) => set,
  runHandler: () => Promise.reject(new Error("there is no hook to run")),
  writeSpilled: async () => null,
};

const NEW_THREAD = {
  originator: "test",
  source: "vscode",
  owner: null,
  threadSource: null,
  historyMode: "paginated",
  configOverrides: {},
  forkedFromId: null,
  agent: null,
  beginning: "new",
  git: null,
} as const;

const say = (text: string): UserMessage => ({
  input: [{ type: "text", text }],
  clientUserMessageId: null,
  sentBy: null,
  clientMetadata: null,
});

export function startThread(
  scripts: readonly Script[],
  tools: readonly PlainTool[] = [],
  options: StartOptions = {},
) {
  const events: string[] = [];
  const seen: SeenEvent[] = [];
  const model = createScriptedModel(scripts);
  let ids = 0;
  let onEvent: (event: SeenEvent) => void = () => {};
  const setup = createSetup(model, tools, options);
  const thread = new LoadedThread({
    id: "thread",
    settings: testSettings,
    setup: async (wanted) => ({ ...setup, ...options.setupFor?.(wanted) }),
    firstSetup: setup,
    warnings: [],
    ...NEW_THREAD,
    journal: options.journal ?? null,
    resumed: options.resumed ?? null,
    onTakenOver: options.onTakenOver ?? (() => {}),
    onEvent: options.onThreadEvent ?? (() => {}),
    ephemeral: false,
    rawEvents: options.rawEvents ?? false,
    installationId: "i",
    identityHeaders: () => ({}),
    hooks: { ...NO_HOOKS, ...options.hooks },
    transcriptPath: () => null,
    clients: options.clients ?? {
      open: () => ({
        id: 0,
        answer: Promise.resolve({ kind: "unanswered", reason: "nobody" }),
        withdraw() {},
      }),
    },
    followers: options.followers ?? NO_FOLLOWERS,
    emit(method, params) {
      seen.push({ method, params });
      onEvent({ method, params });
      events.push(describeEvent(method, params as Shown));
    },
    clock: options.clock ?? { now: () => 5000, monotonic: () => 5000, after: soon },
    createId: () => `id-${ids++}`,
    createRevision: () => "r",
    log: options.log ?? silentLogger,
  });
  return {
    thread,
    model,
    events,
    seen,
    onEvent(heard: (event: SeenEvent) => void) {
      onEvent = heard;
    },
    say,
    async begin(text: string) {
      const { value: turn, begin } = await thread.accept({
        kind: "user",
        message: say(text),
        options: NO_TURN_OPTIONS,
      });
      begin();
      return turn.id;
    },
    /** The conversation in a request, without instructions and environment context. */
    told: (request: number) =>
      model.requests[request]?.input
        .slice(1)
        .map((item) => {
          const { type, role, content, output, name } = item as Told;
          const text = content?.map((part) => part.text).join("");
          return text === undefined ? `${type} ${name ?? output}` : `${role}: ${text}`;
        })
        .filter((line) => !line.startsWith("user: <environment_context>")),
  };
}

function createSetup(
  model: ScriptedModel,
  tools: readonly PlainTool[],
  { info, setup }: StartOptions,
): TurnSetup {
  return {
    model,
    info: () => modelInfo("m", info),
    tools: async () => tools.map(toTool),
    hostedTools: [],
    fallbacks: [],
    decisions: createDecisionLog(),
    permissionPolicy: {
      allowsRetries: false,
      command: async () => ({ kind: "run", sandboxed: false, basis: { kind: "policy" } }),
      fileChange: () => ({ kind: "run", basis: { kind: "policy" } }),
      grantCommand: async () => {},
      grantFiles() {},
      allowPrefix: async () => {},
      mcpCall: () => ({ kind: "run", basis: { kind: "policy" } }),
      grantMcpTool: async () => {},
      mayAskForAdditional: true,
      mayAsk: true,
      grantAdditional() {},
    },
    keepsQuestions: false,
    waits: null,
    answerTimeoutMs: 1000,
    diffRoot: () => "/project",
    context: async () => contextWith(),
    time: { isFromClient: false, isInContext: true, reminder: null },
    listSkills: async () => [],
    instructionSources: [],
    warnings: [],
    maxContinuations: 8,
    compactPrompt: null,
    abortsOnSteer: true,
    notify: null,
    review: { model: null, findMergeBase: async () => "abc" },
    runUserShell: async ({ items }) => {
      items.begin({ type: "contextCompaction", id: "x" });
      return { exitCode: 0, output: "", durationMs: 0, record: "ran" };
    },
    ...setup,
  };
}

/** Fires short timers on the next tick and long ones never. */
function soon(delayMs: number, task: () => void): () => void {
  if (delayMs >= LONG_MS) return () => {};
  const timer = setImmediate(task);
  return () => clearImmediate(timer);
}

/** The members of notifications that tests check. */
interface Shown {
  readonly item?: {
    readonly type: string;
    readonly text?: string;
    readonly content?: readonly { text?: string }[];
  };
  readonly status?: { readonly type: string };
  readonly turn?: { readonly status: string };
  readonly delta?: string;
}

function describeEvent(method: string, { item, status, turn, delta }: Shown): string {
  const text = item?.text ?? item?.content?.[0]?.text ?? "";
  const detail = item === undefined ? (status?.type ?? turn?.status ?? delta ?? "") : `${item.type} ${text}`;
  return `${method} ${detail}`.trim();
}

/** The members of history items that tests check. */
interface Told {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: string;
  readonly name?: string;
}
