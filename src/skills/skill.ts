// A skill: a folder with instructions that the model may read when it needs them.

import type { SkillDependencies, SkillInterface, SkillScope } from "../protocol/generated/types.ts";

/** Only the front matter of a SKILL.md is needed; the rest of a longer file is not read. */
export const MAX_SKILL_BYTES = 256 * 1024;

export interface Skill {
  /** Prefixed with its plugin, if any: `plugin:skill`. */
  readonly name: string;
  readonly description: string;
  readonly shortDescription: string | null;
  readonly interface: SkillInterface | null;
  readonly dependencies: SkillDependencies | null;
  /** Whether the model may select the skill by itself. */
  readonly allowImplicitInvocation: boolean;
  /** The real path of the SKILL.md. */
  readonly path: string;
  readonly scope: SkillScope;
}

/** An invalid SKILL.md, and the reason. */
export interface SkillFault {
  readonly path: string;
  readonly message: string;
}
