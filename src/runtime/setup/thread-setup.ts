import { isRefusal } from "../../base/refusal.ts";
import { inBackground } from "../../base/tasks.ts";
import type { ModelProvider } from "../../config/model-provider.ts";
import { rootMarkersOf } from "../../config/project-root.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { describeContext } from "../../engine/context/context-sections.ts";
import { describeSkills, skillsBudget } from "../../engine/context/describe-skills.ts";
import { environmentFacts } from "../../engine/context/environment-context.ts";
import { readProjectDocs } from "../../engine/context/project-docs.ts";
import { decisionLogOf } from "../../engine/permissions/decision-log.ts";
import { createPermissionPolicy } from "../../engine/permissions/permission-policy.ts";
import { type ThreadSettings, workFolderOf } from "../../engine/state/settings.ts";
import type { TurnSetup } from "../../engine/turn/turn-setup.ts";
import type { ModelInfo } from "../../model/catalog/model-info.ts";
import type { RuleBook } from "../../policy/rules/rule-book.ts";
import type { DynamicToolSpec } from "../../protocol/generated/types.ts";
import type { CatalogSkill, SkillCatalog } from "../../skills/skill-catalog.ts";
import type { WriterFence } from "../../store/leases.ts";
import type { PermissionGrants } from "../../tools/permissions/permission-grants.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";
import { findMergeBase } from "./git.ts";
import { readCompactPrompt } from "./instruction-files.ts";
import type { ModelFallbacks } from "./model-fallbacks.ts";
import { createInfoReader } from "./model-info-reader.ts";
import { createNotifyProgram } from "./notify-program.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";
import type { Skills } from "./skills.ts";
import { openThreadTools } from "./thread-tools.ts";
import { readTimeSettings } from "./time-settings.ts";
import { createWaitLog } from "./wait-log.ts";

/** The parts of a thread's setup that do not depend on its settings. */
export interface SetupBase {
  readonly threadId: string;
  /** The current right to record facts of the thread; null if it is not held. */
  readonly writerFence: () => WriterFence | null;
  readonly provider: ModelProvider;
  readonly values: ConfigValues;
  readonly features: ReadonlyMap<string, boolean>;
  readonly fallbacks: ModelFallbacks;
  /** Whether questions of the thread outlive the process. */
  readonly keepsQuestions: boolean;
  /** Tools that the client offers. */
  readonly dynamicTools: readonly DynamicToolSpec[];
  readonly rules: () => Promise<RuleBook>;
  /** Approvals that the user has granted for the session. */
  readonly grants: Set<string>;
  /** Permissions that commands have beyond their sandbox. */
  readonly granted: PermissionGrants;
}

/** The setup of a turn: model, tools, context and policy, from the thread's settings and its configuration. */
export async function createTurnSetup(
  settings: ThreadSettings,
  base: SetupBase,
  deps: RuntimeDeps,
): Promise<TurnSetup | ThreadRefusal> {
  const { values, features, rules, grants, granted } = base;
  const { host, machine } = deps;
  const readInfo = createInfoReader(settings.model, {
    contextWindow: values.model_context_window,
    autoCompactTokenLimit: values.model_auto_compact_token_limit,
    verbosity: values.model_verbosity,
  });
  const info = readInfo(null);
  const permissionPolicy = createPermissionPolicy(settings, {
    env: host.env,
    sandbox: machine.sandbox,
    places: machine.writablePaths,
    guard: machine.guard,
    grammar: machine.grammar,
    rules,
    grants,
    granted,
    trustsReadOnlyCommands: values.approvals.trusted_commands,
    allowMcpTool: async (server, tool) => (await deps.mcp.get()).allowTool(server, tool),
  });
  const [tools, context, model, compactPrompt] = await Promise.all([
    openThreadTools(settings, { ...base, info }, deps),
    openThreadContext(settings, values, info.contextWindow, deps),
    deps.models.of(base.provider),
    readCompactPrompt(values),
  ]);
  if (isRefusal(compactPrompt)) return compactPrompt;
  return {
    ...tools,
    ...context,
    model,
    info: () => readInfo(model),
    fallbacks: base.fallbacks.of(settings),
    permissionPolicy,
    time: readTimeSettings(values, features),
    decisions: decisionLogOf(async () => (await deps.store.get()).decisions, base.writerFence),
    keepsQuestions: base.keepsQuestions,
    waits: createWaitLog(values, base.writerFence, deps),
    answerTimeoutMs: values.approvals.timeout_sec * 1000,
    warnings: info.isFallback ? [unknownModel(settings.model, base, readInfo(model))] : [],
    maxContinuations: values.hooks?.max_continuations ?? DEFAULT_MAX_CONTINUATIONS,
    compactPrompt,
    abortsOnSteer: features.get("instant_interrupt") ?? true,
    notify: openNotify(values, deps),
    review: {
      model: values.review_model,
      findMergeBase: (branch) =>
        findMergeBase(branch, {
          env: host.env,
          sandbox: machine.sandbox,
          cwd: workFolderOf(settings),
          isWritten: machine.writablePaths.contains,
        }),
    },
  };
}

const DEFAULT_MAX_CONTINUATIONS = 8;

function openNotify(
  { notify: argv, workspace_programs: programs }: ConfigValues,
  { host: { env, log, clock }, machine, identity }: RuntimeDeps,
): TurnSetup["notify"] {
  if (argv === null || argv === undefined || argv.length === 0) return null;
  const notify = createNotifyProgram({
    env,
    log,
    clock,
    argv,
    isWritten: (path) => programs === "refuse" && machine.writablePaths.contains(path),
    clientName: () => identity.originator,
    host: async () => (await machine.commands.get()).host,
  });
  return (turn) => inBackground(log, "running the `notify` program", notify(turn));
}

/** Clients of the Responses API recognize the first sentence from other servers. */
function unknownModel(
  model: string,
  { provider, values }: Pick<SetupBase, "provider" | "values">,
  { contextWindow }: ModelInfo,
): string {
  const warning = `Model metadata for \`${model}\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.`;
  if (values.model_context_window !== null || provider.wireApi === "responses") return warning;
  return `${warning} Its context window is taken to have ${contextWindow} tokens; set \`model_context_window\` if it has fewer.`;
}

/**
 * The context of a thread's model: project docs, skills and environment. Project docs are read now, the rest
 * with each turn.
 */
async function openThreadContext(
  settings: ThreadSettings,
  values: ConfigValues,
  contextWindow: number,
  { config, host: { env }, skills }: Pick<RuntimeDeps, "config" | "host" | "skills">,
): Promise<Pick<TurnSetup, "context" | "listSkills" | "instructionSources">> {
  const workFolder = workFolderOf(settings);
  const docs = await readProjectDocs({
    home: config.home,
    cwd: workFolder,
    rootMarkers: rootMarkersOf(values),
    stat: config.stat,
    fallbackNames: values.project_doc_fallback_filenames,
    maxBytes: settings.hasMachine ? values.project_doc_max_bytes : 0,
  });
  const listSkills = createSkillList(skills.get, workFolder);
  const includesSkills = values.skills?.include_instructions ?? true;
  const maxTokens = skillsBudget(contextWindow, values.skills?.max_context_tokens ?? null);
  return {
    instructionSources: docs.sources,
    listSkills,
    async context(nowMs) {
      const offered = (await listSkills()).filter(isOffered);
      const skills = describeSkills(includesSkills ? offered : [], maxTokens);
      const sections = describeContext({
        settings,
        environment: environmentFacts(env, nowMs),
        projectDocs: docs.text,
        skills: skills.text,
        wanted: {
          permissions: values.include_permissions_instructions,
          mode: values.include_collaboration_mode_instructions,
          environment: values.include_environment_context,
          time: values.include_environment_context_time,
        },
      });
      return { sections, skillsWarning: skills.warning };
    },
  };
}

/** Lists the skills of a folder; reads them again only if they may have changed. */
function createSkillList(skills: () => Promise<Skills>, cwd: string): () => Promise<readonly CatalogSkill[]> {
  let listed: { readonly revision: number; readonly list: Promise<readonly CatalogSkill[]> } | null = null;
  return async () => {
    const { catalog } = await skills();
    if (listed?.revision !== catalog.revision) {
      listed = { revision: catalog.revision, list: readSkills(catalog, cwd) };
    }
    return listed.list;
  };
}

/** Skills are optional: a thread works without them if they cannot be read. */
async function readSkills(catalog: SkillCatalog, cwd: string): Promise<readonly CatalogSkill[]> {
  const listed = await catalog.list(cwd);
  return listed.ok ? listed.listing.skills : [];
}

/** Whether the model may use a skill on its own; others must be named by the user. */
function isOffered({ enabled, allowImplicitInvocation }: CatalogSkill): boolean {
  return enabled && allowImplicitInvocation;
}
