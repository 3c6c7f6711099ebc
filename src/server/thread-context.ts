import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { ConfigValues } from "../config/schema/config-schema.ts";
import { describeContext, type ListedSkill } from "../engine/context/context-sections.ts";
import { environmentFacts } from "../engine/context/environment-context.ts";
import { readProjectDocs } from "../engine/context/project-docs.ts";
import type { ThreadSettings } from "../engine/settings.ts";
import type { TurnSetup } from "../engine/turn-setup.ts";
import type { Skills } from "./skills.ts";

export interface ThreadContextOptions {
  readonly home: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly skills: () => Promise<Skills>;
}

const DEFAULT_DOC_BYTES = 32 * 1024;

/** What a thread's model is told of the place it works in. Files are read now, the rest when a turn begins. */
export async function openThreadContext(
  settings: ThreadSettings,
  values: ConfigValues,
  { home, env, clock, skills }: ThreadContextOptions,
): Promise<Pick<TurnSetup, "context" | "instructionSources">> {
  const docs = await readProjectDocs({
    home,
    cwd: settings.cwd,
    rootMarkers: values.project_root_markers ?? [".git"],
    fallbackNames: values.project_doc_fallback_filenames ?? [],
    maxBytes: values.project_doc_max_bytes ?? DEFAULT_DOC_BYTES,
  });
  return {
    instructionSources: docs.sources,
    context: async () =>
      describeContext({
        settings,
        environment: environmentFacts(env, clock.now()),
        projectDocs: docs.text,
        skills: await listSkills(await skills(), settings.cwd),
      }),
  };
}

/** Skills are a help: a thread goes on without them where they cannot be read. */
async function listSkills({ catalog }: Skills, cwd: string): Promise<ListedSkill[]> {
  const listed = await catalog.list(cwd);
  if (!listed.ok) return [];
  return listed.listing.skills.filter(
    ({ enabled, allowImplicitInvocation }) => enabled && allowImplicitInvocation,
  );
}
