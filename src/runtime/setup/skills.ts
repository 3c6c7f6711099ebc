import { join } from "node:path";
import {
  createSkillSettingsReader,
  createSkillSwitch,
  type SwitchSkill,
} from "../../skills/configured-skills.ts";
import { SkillCatalog } from "../../skills/skill-catalog.ts";
import { type ConfigSource, SYSTEM_FOLDER } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";

/** The skills of a server, and the switch for one. */
export interface Skills {
  readonly catalog: SkillCatalog;
  readonly switchSkill: SwitchSkill;
}

export async function openSkills(host: Host, config: ConfigSource): Promise<Skills> {
  const { userHome, clock, createId, log } = host;
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
