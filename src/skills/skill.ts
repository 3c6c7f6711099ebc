// What the engine knows of a skill: a folder with instructions that the model may read when it needs them.

import type { SkillDependencies, SkillInterface, SkillScope } from "../protocol/generated/types.ts";

/** Only the head of a SKILL.md is needed; whatever lies beyond this much of it is not read. */
export const MAX_SKILL_BYTES = 256 * 1024;

export interface Skill {
  /** Qualified by the plugin that brings it, if one does: `plugin:skill`. */
  readonly name: string;
  readonly description: string;
  readonly shortDescription: string | null;
  readonly interface: SkillInterface | null;
  readonly dependencies: SkillDependencies | null;
  /** Whether the model may choose the skill by itself. */
  readonly allowImplicitInvocation: boolean;
  /** The SKILL.md, without links on the way. */
  readonly path: string;
  readonly scope: SkillScope;
}

/** A SKILL.md that is none, and why. */
export interface SkillFault {
  readonly path: string;
  readonly message: string;
}
