// The report on the configuration at start-up: warnings for clients, or the reason why the server does not
// start.
import type { ConfigWarningNotification } from "../protocol/generated/types.ts";
import { blameLayer, type Evaluated, enabledLayers, findContradiction } from "./effective-config.ts";
import { describeSource, type Layer } from "./layer.ts";
import type { LoadedLayers } from "./layer-loader.ts";
import { ENFORCED, type LoadedRequirements, type Requirements } from "./requirements.ts";
import { type ConfigFault, describeFault } from "./toml/config-fault.ts";

export type StartupReport =
  | { readonly ok: true; readonly warnings: readonly ConfigWarningNotification[] }
  | { readonly ok: false; readonly message: string };

interface StartupInput {
  readonly loaded: LoadedLayers;
  readonly requirements: LoadedRequirements;
  readonly strict: boolean;
  readonly evaluate: (layers: readonly Layer[]) => Evaluated;
}

/** A broken file is a warning, so that the server starts and can report it; broken flags are an error. */
export function reportStartup({ loaded, requirements, strict, evaluate }: StartupInput): StartupReport {
  if (!requirements.ok) return { ok: false, message: describeFault(requirements.fault) };
  if (!loaded.ok) return invalid(loaded.fault, strict);
  const { layers } = loaded;
  const fault = usable(evaluate(layers), layers);
  if (fault !== undefined) {
    const defaults = layers.filter(
      ({ source }) => source.type === "sessionFlags" || source.type === "system",
    );
    const flagFault = usable(evaluate(defaults), defaults);
    return flagFault === undefined
      ? invalid(fault, strict)
      : { ok: false, message: describeFault(flagFault) };
  }
  const texts = [
    ...disabledProjects(layers),
    ...describeIgnored(layers, loaded.warnings, requirements.requirements),
  ];
  return { ok: true, warnings: texts.map((summary) => ({ summary, details: null })) };
}

/** Settings of the layers that have no effect. */
export function describeIgnored(
  layers: readonly Layer[],
  warnings: readonly string[],
  requirements: Requirements | null,
): string[] {
  const unknown = [...enabledLayers(layers).flatMap(unknownIn), ...unknownRequirements(requirements)];
  return [...warnings, ...describeUnknown(unknown), ...describeUnenforced(requirements)];
}

function usable(evaluated: Evaluated, layers: readonly Layer[]): ConfigFault | undefined {
  if (!evaluated.ok) return blameLayer(layers, evaluated.fault);
  const message = findContradiction(evaluated.config);
  return message === undefined ? undefined : { message };
}

function invalid(fault: ConfigFault, strict: boolean): StartupReport {
  if (strict) return { ok: false, message: describeFault(fault) };
  const summary = "Invalid configuration; using defaults.";
  const details = describeFault(fault);
  if (fault.location === undefined) return { ok: true, warnings: [{ summary, details }] };
  const { file, start, end } = fault.location;
  return { ok: true, warnings: [{ summary, details, path: file, range: { start, end } }] };
}

function disabledProjects(layers: readonly Layer[]): string[] {
  const disabled = layers.flatMap(({ source, disabledReason }) =>
    source.type === "project" && disabledReason !== undefined
      ? [[source.dotCodexFolder, disabledReason]]
      : [],
  );
  if (disabled.length === 0) return [];
  const entries = disabled.map(
    ([folder, reason], index) => `    ${index + 1}. ${folder}\n       ${reason}\n`,
  );
  const intro =
    "Project-local config, hooks, and exec policies are disabled in the following folders until the project is " +
    "trusted, but skills still load.\n";
  return [intro + entries.join("")];
}

function unknownIn(layer: Layer): string[] {
  const paths = layer.unknownKeys.map((keys) => keys.join(".")).sort();
  return paths.map((keys) => `${describeSource(layer.source)}: \`${keys}\` is ignored.`);
}

function unknownRequirements(requirements: Requirements | null): string[] {
  if (requirements === null) return [];
  const paths = requirements.unknownKeys.map((keys) => keys.join(".")).sort();
  return paths.map((keys) => `requirements (${requirements.file}): \`${keys}\` is ignored.`);
}

/** An administrator must not rely on a requirement that is not enforced. */
function describeUnenforced(requirements: Requirements | null): string[] {
  if (requirements === null) return [];
  const keys = requirements.keys.filter((key) => !ENFORCED.includes(key));
  if (keys.length === 0) return [];
  const list = keys.map((key) => `\`${key}\``).join(", ");
  return [`Heddle does not enforce these requirements of ${requirements.file}: ${list}.`];
}

const MAX_LISTED = 3;

function describeUnknown(entries: readonly string[]): string[] {
  if (entries.length === 0) return [];
  const noun = entries.length === 1 ? "setting" : "settings";
  const lines = [
    `Codex is ignoring ${entries.length} unrecognized configuration ${noun}. Check for typos or deprecated settings.`,
    ...entries.slice(0, MAX_LISTED).map((entry) => `  ${entry}`),
  ];
  if (entries.length > MAX_LISTED)
    lines.push(`  ... and ${entries.length - MAX_LISTED} more ignored settings.`);
  return [lines.join("\n")];
}
