import { rootMarkersOf } from "../../config/project-root.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { describeContext } from "../../engine/context/context-sections.ts";
import { describeSkills, skillsBudget } from "../../engine/context/describe-skills.ts";
import { environmentFacts } from "../../engine/context/environment-context.ts";
import { readProjectDocs } from "../../engine/context/project-docs.ts";
import { type ThreadSettings, workFolderOf } from "../../engine/state/settings.ts";
import type { TurnSetup } from "../../engine/turn/turn-setup.ts";
import type { CatalogSkill, SkillCatalog } from "../../skills/skill-catalog.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";
import type { Skills } from "./skills.ts";

/** The context of a thread's model: project docs, skills and environment. Files are read now, the rest with each turn. */
export async function openThreadContext(
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
    fallbackNames: values.project_doc_fallback_filenames,
    maxBytes: settings.hasMachine ? values.project_doc_max_bytes : 0,
  });
  const listSkills = createSkillList(skills.get, workFolder);
  const tellsOfSkills = values.skills?.include_instructions ?? true;
  const maxTokens = skillsBudget(contextWindow, values.skills?.max_context_tokens ?? null);
  return {
    instructionSources: docs.sources,
    listSkills,
    async context(nowMs) {
      const offered = (await listSkills()).filter(isOffered);
      const skills = describeSkills(tellsOfSkills ? offered : [], maxTokens);
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

/** Lists a folder's skills, anew only when they may have changed. */
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

/** Skills are optional: where they cannot be read, a thread works without them. */
async function readSkills(catalog: SkillCatalog, cwd: string): Promise<readonly CatalogSkill[]> {
  const listed = await catalog.list(cwd);
  return listed.ok ? listed.listing.skills : [];
}

/** The skills that the model may use by itself; the user has to name others. */
function isOffered({ enabled, allowImplicitInvocation }: CatalogSkill): boolean {
  return enabled && allowImplicitInvocation;
}
