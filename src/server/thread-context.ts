import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { ConfigValues } from "../config/schema/config-schema.ts";
import { environmentFacts } from "../engine/context/environment-context.ts";
import { buildInitialContext, type ListedSkill } from "../engine/context/initial-context.ts";
import { readProjectDocs } from "../engine/context/project-docs.ts";
import type { ThreadSettings } from "../engine/settings.ts";
import type { ThreadOptions } from "../engine/thread.ts";
import type { Skills } from "./skills.ts";

export interface ThreadContextOptions {
  readonly home: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly skills: () => Promise<Skills>;
}

const DEFAULT_DOC_BYTES = 32 * 1024;

/** What a thread's model is told of the place it works in. Files are read now, the rest when the first turn begins. */
export async function openThreadContext(
  settings: ThreadSettings,
  values: ConfigValues,
  { home, env, clock, skills }: ThreadContextOptions,
): Promise<Pick<ThreadOptions, "initialContext" | "instructionSources">> {
  const docs = await readProjectDocs({
    home,
    cwd: settings.cwd,
    rootMarkers: values.project_root_markers ?? [".git"],
    fallbackNames: values.project_doc_fallback_filenames ?? [],
    maxBytes: values.project_doc_max_bytes ?? DEFAULT_DOC_BYTES,
  });
  return {
    instructionSources: docs.sources,
    initialContext: async () =>
      buildInitialContext({
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
