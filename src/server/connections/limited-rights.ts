/**
 * The rights of a connection without the scope `admin`: it may make rights stricter, and may never extend them beyond those
 * of the configuration and of the thread. Values are therefore compared with the strictest one only, and folders with
 * those of existing threads.
 */
import { isObject } from "../../base/json-object.ts";
import { forbidden, type RequestContext } from "./handler.ts";

/** Whether a folder is that of a stored thread or of the server itself, and its trust cannot change by a thread in it. */
export type KnowsFolder = (path: string) => Promise<boolean>;

type Handle = (params: unknown, context: RequestContext) => unknown;

/** Members that change rights, each with a test of the values that cannot extend them. Null changes nothing. */
const RIGHTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  approvalPolicy: (value) => value === "untrusted",
  approvalsReviewer: (value) => value === "user",
  sandbox: (value) => value === "read-only",
  sandboxPolicy: (value) =>
    isObject(value) && value["type"] === "readOnly" && value["networkAccess"] !== true,
  permissions: () => false,
  config: isEmpty,
  runtimeWorkspaceRoots: isEmpty,
  environments: isEmpty,
  selectedCapabilityRoots: isEmpty,
  history: () => false,
  path: () => false,
  rolloutPath: () => false,
};

/** Members that name folders to work in, to read or to search. */
const FOLDERS: readonly string[] = ["cwd", "cwds", "roots"];

/** Members whose content is text or data for the model. */
const DATA: ReadonlySet<string> = new Set([
  "outputSchema",
  "additionalContext",
  "responsesapiClientMetadata",
  "responsesapiClientMetadataPatch",
  "collaborationMode",
]);

/** Params name the settings of a turn or thread at most three objects deep, as in `target.threadStartParams.sandbox`. */
const MAX_DEPTH = 4;

export interface WantedRights {
  /** The first member that could extend rights; null if there is none. */
  readonly member: string | null;
  readonly folders: readonly string[];
}

/** Reads what the params of a request would change about rights. Lists contain no settings, so they are not searched. */
export function readWantedRights(params: unknown, depth = 0): WantedRights {
  const folders: string[] = [];
  if (!isObject(params)) return { member: null, folders };
  // No known request is nested as deep.
  if (depth >= MAX_DEPTH) return { member: "too many nested objects", folders };
  for (const [name, value] of Object.entries(params)) {
    if (value === null || value === undefined || DATA.has(name)) continue;
    if (FOLDERS.includes(name)) folders.push(...[value].flat().filter((one) => typeof one === "string"));
    const isHarmless = Object.hasOwn(RIGHTS, name) ? RIGHTS[name] : undefined;
    if (isHarmless !== undefined) {
      if (!isHarmless(value)) return { member: name, folders };
      continue;
    }
    const nested = readWantedRights(value, depth + 1);
    if (nested.member !== null) return nested;
    folders.push(...nested.folders);
  }
  return { member: null, folders };
}

/** The handler of a request, which is refused where it would extend rights. */
export function withinRights(method: string, handle: Handle, knowsFolder: KnowsFolder): Handle {
  return (params, context) => {
    const { member, folders } = readWantedRights(params);
    if (member !== null) throw refuse(method, `\`${member}\``);
    if (folders.length === 0) return handle(params, context);
    return handleInFolders(folders);

    async function handleInFolders(wanted: readonly string[]): Promise<unknown> {
      if (wanted.length > MAX_FOLDERS) throw refuse(method, "that many folders");
      for (const folder of wanted)
        if (!(await knowsFolder(folder))) throw refuse(method, "a folder that is not known");
      return handle(params, context);
    }
  };
}

/**
 * Whether an answer to a question also changes what is asked from now on: it adds a rule, or remembers its approval in the
 * configuration.
 */
export function changesRules(result: unknown): boolean {
  if (!isObject(result)) return false;
  const { decision = result, _meta: meta } = result;
  const isAmendment = isObject(decision) && Object.keys(decision).some((name) => /amendment/iu.test(name));
  return isAmendment || (isObject(meta) && meta["persist"] === "always");
}

const MAX_FOLDERS = 16;

function refuse(method: string, what: string) {
  return forbidden(`${method} with ${what} needs the scope admin, which this connection does not have`, {
    method,
    scope: "admin",
  });
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
