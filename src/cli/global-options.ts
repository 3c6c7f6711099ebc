import type { HeddleOptions } from "../server/heddle.ts";
import type { OptionSpec, ParsedArguments } from "./arguments.ts";

/** Options about configuration, taken before and behind every subcommand. */
export const globalOptions: readonly OptionSpec[] = [
  {
    name: "config",
    short: "c",
    value: "key=value",
    repeat: true,
    help: "Override a configuration value; dotted key, value in TOML or as plain text",
  },
  { name: "profile", short: "p", value: "NAME", help: "Lay <NAME>.config.toml of the home over config.toml" },
  { name: "enable", value: "FEATURE", repeat: true, help: "Switch a feature on (features.<name>=true)" },
  { name: "disable", value: "FEATURE", repeat: true, help: "Switch a feature off (features.<name>=false)" },
  { name: "strict-config", help: "Refuse to start when config.toml has unknown fields" },
];

/** What the global options say, wherever they stood. */
export type GlobalSettings = Pick<HeddleOptions, "flags" | "profile" | "strictConfig">;

export function readGlobalSettings(...places: readonly ParsedArguments[]): GlobalSettings {
  const all = (name: string) => places.flatMap((place) => place.values(name));
  return {
    flags: { config: all("config"), enable: all("enable"), disable: all("disable") },
    profile: all("profile").at(-1) ?? null,
    strictConfig: places.some((place) => place.flag("strict-config")),
  };
}
