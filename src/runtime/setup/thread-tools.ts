import type { Clock } from "../../base/clock.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { type ThreadSettings, workFolderOf } from "../../engine/state/settings.ts";
import type { TurnSetup } from "../../engine/turn/turn-setup.ts";
import type { ModelInfo } from "../../model/catalog/model-info.ts";
import { createApplyPatchTool } from "../../tools/apply-patch/apply-patch-tool.ts";
import { clientTime, createCurrentTime, machineTime } from "../../tools/clock/current-time.ts";
import { createSleep } from "../../tools/clock/sleep.ts";
import { findDiffRoot } from "../../tools/diff/turn-diff.ts";
import { createDynamicTools } from "../../tools/dynamic/dynamic-tools.ts";
import { createRequestPermissions } from "../../tools/permissions/request-permissions.ts";
import { createUpdatePlan } from "../../tools/plan/update-plan.ts";
import type { Tool } from "../../tools/tool.ts";
import { createRequestUserInput, USUAL_MODES } from "../../tools/user-input/request-user-input.ts";
import { createViewImage } from "../../tools/view-image/view-image.ts";
import { type WebSearchSettings, webSearchSpec } from "../../tools/web-search/web-search.ts";
import { toExecSettings } from "../machine/command-tools.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";
import type { SetupBase } from "./thread-setup.ts";
import { readTimeSettings } from "./time-settings.ts";

export type ThreadTools = Pick<TurnSetup, "tools" | "hostedTools" | "diffRoot" | "runUserShell">;

export interface ToolsBase extends SetupBase {
  readonly info: ModelInfo;
}

/** The tools of a thread. */
export async function openThreadTools(
  settings: ThreadSettings,
  base: ToolsBase,
  { host: { clock }, config, machine, mcp }: Pick<RuntimeDeps, "host" | "config" | "machine" | "mcp">,
): Promise<ThreadTools> {
  const { info, values, threadId } = base;
  const shell = await machine.commands.get();
  shell.register(threadId, toExecSettings(values, info, { sessionId: threadId, granted: base.granted.of }));
  const viewImage = createViewImage({
    acceptsImages: info.inputModalities.includes("image"),
    offersOriginal: !info.isFallback,
  });
  const isOff = (feature: string) => base.features.get(feature) === false;
  const ofMachine = [
    ...(info.hasApplyPatch ? [createApplyPatchTool(shell.patches)] : []),
    ...(isOff("view_image") ? [] : [viewImage]),
  ];
  const ofClient = clientTools(base, clock);
  const own: Tool[] = settings.hasMachine
    ? [...(isOff("shell_tool") ? [] : shell.tools), ...ofClient, ...permissionTools(base), ...ofMachine]
    : ofClient;
  const servers = values.mcp_servers;
  const hasServers = Object.keys(servers ?? {}).length > 0;
  let diffRoot: string | null = null;
  return {
    tools: async () => (hasServers ? [...own, ...(await (await mcp.get()).toolsFor(threadId))] : own),
    hostedTools: hostedTools(values, settings, info),
    diffRoot() {
      diffRoot ??= findDiffRoot(workFolderOf(settings), config.stat);
      return diffRoot;
    },
    runUserShell: (command) => shell.runUserShell(command),
  };
}

function permissionTools({ features }: ToolsBase): Tool[] {
  return features.get("request_permissions_tool") === true ? [createRequestPermissions()] : [];
}

/** Tools that speak with the user or the client. */
function clientTools(base: ToolsBase, clock: Clock): Tool[] {
  const { values, features, dynamicTools } = base;
  const isOn = (feature: string) => features.get(feature) ?? false;
  const modes = isOn("default_mode_request_user_input") ? [...USUAL_MODES, "default" as const] : USUAL_MODES;
  const { offered, deferred } = createDynamicTools(dynamicTools, clock);
  return [
    createRequestUserInput({ modes, modeOf: ({ mode }) => mode }),
    ...(values.tools?.update_plan?.enabled === true
      ? [createUpdatePlan({ isPlanMode: ({ mode }) => mode === "plan" })]
      : []),
    ...clockTools(base, clock),
    ...offered,
    ...deferred.map((tool) => ({ ...tool, isOffered: false })),
  ];
}

/** Clock tools, for models that need the time. */
function clockTools({ values, features }: ToolsBase, clock: Clock): Tool[] {
  const { reminder, isFromClient } = readTimeSettings(values, features);
  if (reminder === null) return [];
  const time = isFromClient ? clientTime : machineTime(clock);
  const sleep = createSleep({
    clock,
    isOfClient: isFromClient,
    onInput: (context, listener) => context.onInput(listener),
  });
  return [createCurrentTime(time), ...(features.get("sleep_tool") === true ? [sleep] : [])];
}

interface WebSearchDetails {
  readonly context_size: WebSearchSettings["contextSize"];
  readonly allowed_domains: readonly string[] | null;
  readonly location: WebSearchSettings["location"];
}

/** Tools that the provider executes. */
function hostedTools(values: ConfigValues, { sandbox }: ThreadSettings, info: ModelInfo): readonly unknown[] {
  // The schema of the configuration has checked it, but its type does not say so.
  const details = (values.tools?.web_search ?? null) as WebSearchDetails | null;
  const search = webSearchSpec({
    mode: values.web_search,
    hasFullAccess: sandbox.type === "dangerFullAccess",
    findsImages: info.inputModalities.includes("image"),
    contextSize: details?.context_size ?? null,
    allowedDomains: details?.allowed_domains ?? null,
    location: details?.location ?? null,
  });
  return search === null ? [] : [search];
}
