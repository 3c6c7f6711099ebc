import { resolve } from "node:path";
import { boundedMap } from "../../base/bounded-map.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type {
  SkillMetadata,
  SkillsConfigWriteParams,
  SkillsListEntry,
} from "../../protocol/generated/types.ts";
import type { SwitchSkill } from "../../skills/configured-skills.ts";
import type { SkillSelector } from "../../skills/edit-skill-rules.ts";
import type { CatalogSkill, SkillCatalog } from "../../skills/skill-catalog.ts";
import { type Handlers, invalidParams } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";

export interface SkillsOptions {
  readonly catalog: SkillCatalog;
  readonly notifier: Notifier;
  /** The default folder of a request; relative folders start from it. */
  readonly cwd: string;
  readonly switchSkill: SwitchSkill;
}

const CONCURRENT_FOLDERS = 5;

export function createSkillsHandlers({
  catalog,
  notifier,
  cwd,
  switchSkill,
}: SkillsOptions): Handlers<"skills/list" | "skills/extraRoots/set" | "skills/config/write"> {
  catalog.onChange(() => notifier.toAll("skills/changed", {}));

  async function entryFor(folder: string): Promise<SkillsListEntry> {
    const result = await catalog.list(resolve(cwd, folder));
    if (!result.ok) {
      const message = `failed to reload config: ${result.message}`;
      return { cwd: folder, skills: [], errors: [{ path: folder, message }] };
    }
    const { skills, faults } = result.listing;
    return { cwd: folder, skills: skills.map(toMetadata), errors: [...faults] };
  }

  return {
    async "skills/list"({ cwds = [], forceReload = false }) {
      catalog.watch();
      if (forceReload) catalog.refresh();
      const folders = cwds.length === 0 ? [cwd] : cwds;
      return { data: await boundedMap(folders, CONCURRENT_FOLDERS, entryFor) };
    },

    "skills/extraRoots/set"({ extraRoots }) {
      catalog.setExtraRoots(extraRoots);
      return {};
    },

    async "skills/config/write"(params) {
      const { enabled } = params;
      const switched = await switchSkill(toSelector(params), enabled);
      if (!switched.ok) {
        throw new RpcError(errorCodes.internalError, `failed to update skill settings: ${switched.message}`);
      }
      catalog.refresh();
      return { effectiveEnabled: enabled };
    },
  };
}

function toSelector({ path = null, name = null }: SkillsConfigWriteParams): SkillSelector {
  if (path !== null && name === null) return { path };
  if (path === null && name !== null && name.trim() !== "") return { name };
  throw invalidParams("skills/config/write requires exactly one of path or name");
}

function toMetadata(skill: CatalogSkill): SkillMetadata {
  const { name, description, shortDescription, dependencies, path, scope, enabled } = skill;
  return {
    name,
    description,
    ...(shortDescription !== null && { shortDescription }),
    ...(skill.interface !== null && { interface: skill.interface }),
    ...(dependencies !== null && { dependencies }),
    path,
    scope,
    enabled,
    pluginId: null,
  };
}
