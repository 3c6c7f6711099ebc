import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import {
  createSkillSettingsReader,
  createSkillSwitch,
  type SwitchSkill,
} from "../../skills/configured-skills.ts";
import { SkillCatalog } from "../../skills/skill-catalog.ts";
import { type ConfigSource, SYSTEM_FOLDER } from "../configuration/config-source.ts";

/** The skills of a server, and the way to switch one. */
export interface Skills {
  readonly catalog: SkillCatalog;
  readonly switchSkill: SwitchSkill;
}

export interface SkillsOptions {
  readonly config: ConfigSource;
  readonly userHome: string;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
}

export async function openSkills(options: SkillsOptions): Promise<Skills> {
  const { config, userHome, clock, createId, log } = options;
  const { home } = config;
  const catalog = new SkillCatalog({
    home,
    userHome,
    systemFolder: SYSTEM_FOLDER,
    settingsFor: createSkillSettingsReader(await config.get()),
    clock,
    log,
  });
  return { catalog, switchSkill: createSkillSwitch({ file: join(home, "config.toml"), createId }) };
}
