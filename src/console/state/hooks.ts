/** The hooks of a folder, what their runs took, and the changes of their trust. */
import type { Client } from "../../client/browser.ts";
import type {
  ConfigEdit,
  HookMetadata,
  HookReplayMoment,
  HookReplayResponse,
  HookRunEntry,
  HookRunStats,
  HooksListEntry,
} from "../../protocol/generated/types.ts";
import { scriptPaths } from "../text/describe-hook.ts";
import { createLoaded, type Loaded } from "./loaded.ts";

/** Larger files are shown up to here. */
const MAX_FILE = 64 * 1024;
const LATEST_RUNS = 20;

export interface FolderHooks extends HooksListEntry {
  readonly stats: readonly HookRunStats[];
  /** Threads whose latest runs are not counted yet. */
  readonly pending: number;
}

/** Null is the folder of the server. */
export function createFolderHooks(cwd: string | null): Loaded<FolderHooks> {
  return createLoaded(async (client) => {
    const { data } = await client.request("hooks/list", cwd === null ? {} : { cwds: [cwd] });
    const { stats, pending } = await client.request("hook/run/list", { limit: 1 });
    const [entry = { cwd: cwd ?? "", hooks: [], warnings: [], errors: [] }] = data;
    return { ...entry, stats, pending };
  });
}

type Identity = Pick<HookMetadata, "eventName" | "sourcePath" | "displayOrder">;

export const statsOf = (stats: readonly HookRunStats[], hook: Identity): HookRunStats | undefined =>
  stats.find(
    ({ eventName, sourcePath, displayOrder }) =>
      eventName === hook.eventName && sourcePath === hook.sourcePath && displayOrder === hook.displayOrder,
  );

export async function latestRuns(client: Client, hook: Identity): Promise<readonly HookRunEntry[]> {
  const { eventName, sourcePath, displayOrder } = hook;
  const params = { eventName, sourcePath, displayOrder, limit: LATEST_RUNS };
  return (await client.request("hook/run/list", params)).data;
}

/** Runs the hooks of today at the moment of a recorded run; null if that moment cannot be rebuilt. */
export async function replayRun(
  client: Client,
  { threadId, turnId, run }: HookRunEntry,
): Promise<HookReplayMoment | null> {
  let cursor: string | null = null;
  do {
    const page: HookReplayResponse = await client.request("hook/replay", {
      threadId,
      turnId,
      eventName: run.eventName,
      cursor,
    });
    const found = page.data.find(({ recorded }) => recorded.some(({ runId }) => runId === run.runId));
    if (found !== undefined) return found;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return null;
}

export interface ScriptFile {
  readonly path: string;
  /** Null where it cannot be read. */
  readonly text: string | null;
  readonly isCut: boolean;
}

/** The files that the command of a hook names. */
export async function readScripts(
  client: Client,
  hook: HookMetadata,
  cwd: string,
): Promise<readonly ScriptFile[]> {
  if (hook.handlerType !== "command") return [];
  return Promise.all(scriptPaths(hook.command, cwd).map((path) => readScript(client, path)));
}

async function readScript(client: Client, path: string): Promise<ScriptFile> {
  try {
    const { dataBase64 } = await client.request("fs/readFile", { path });
    const bytes = Uint8Array.from(atob(dataBase64), (character) => character.charCodeAt(0));
    const text = new TextDecoder().decode(bytes.slice(0, MAX_FILE));
    return { path, text, isCut: bytes.length > MAX_FILE };
  } catch {
    // A word of a command that looks like a path need not be one.
    return { path, text: null, isCut: false };
  }
}

/** The trust is given to the version that was shown: another one does not run. */
export const trustHook = (client: Client, { key, currentHash }: HookMetadata): Promise<unknown> =>
  write(client, key, { trusted_hash: currentHash });

/** Its pins stay: they are renewed when it is trusted again. */
export const untrustHook = (client: Client, { key }: HookMetadata): Promise<unknown> =>
  client.request("config/batchWrite", {
    edits: [{ keyPath: `hooks.state.${quoted(key)}.trusted_hash`, value: null, mergeStrategy: "replace" }],
    reloadUserConfig: true,
  });

/** A segment of a key path. */
const quoted = (key: string): string => `"${key.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;

export const switchHook = (client: Client, { key }: HookMetadata, enabled: boolean): Promise<unknown> =>
  write(client, key, { enabled });

function write(client: Client, key: string, state: object): Promise<unknown> {
  const edit: ConfigEdit = { keyPath: "hooks.state", value: { [key]: state }, mergeStrategy: "upsert" };
  return client.request("config/batchWrite", { edits: [edit], reloadUserConfig: true });
}
