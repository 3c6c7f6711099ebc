// The response to `configRequirements/read`: the contents of requirements.toml under wire names.
import { pathToFileURL } from "node:url";
import type { ConfigRequirements, ConfigRequirementsReadResponse } from "../protocol/generated/types.ts";
import { type ConfigContext, loadAll } from "./config-context.ts";
import { type ConfigResult, configFailure } from "./config-error.ts";
import { noRequirements, type RequirementValues } from "./requirements.ts";
import type { Kind } from "./schema/kind.ts";
import { requirementsSchema } from "./schema/requirements-schema.ts";

type LoginMethod = "api" | "chatgpt";

export async function readRequirements(
  context: ConfigContext,
): Promise<ConfigResult<ConfigRequirementsReadResponse>> {
  const loaded = await loadAll(context, {});
  if (!loaded.ok) return configFailure(`failed to read configuration layers: ${loaded.error.message}`);
  const evaluated = context.evaluate(loaded.value.layers);
  const forced = evaluated.ok ? evaluated.config.values.forced_login_method : null;
  const found = loaded.value.requirements?.shown ?? (forced === null ? null : await noRequirements());
  const requirements = found === null ? null : describeRequirements(found, forced);
  return { ok: true, value: { supportsIndependentSpeedModes: true, requirements } };
}

/** `forced` is the login method that the user's own configuration requires. */
function describeRequirements(values: RequirementValues, forced: LoginMethod | null): ConfigRequirements {
  const wire = camelCased(requirementsSchema, values) as Record<string, never>;
  return {
    ...pick(wire, [
      "modelProvider",
      "modelProviders",
      "cliAuthCredentialsStore",
      "chatgptBaseUrl",
      "additionalDeveloperInstructions",
      "allowedApprovalPolicies",
      "allowedApprovalsReviewers",
      "allowedPermissionProfiles",
      "defaultPermissions",
      "allowManagedHooksOnly",
      "allowBrowserAndComputerUse",
      "allowAppshots",
      "allowRemoteControl",
      "computerUse",
      "browserUse",
      "inAppBrowser",
      "enforceResidency",
      "application",
      "autoReview",
      "models",
      "checkForUpdateOnStartup",
      "allowLoginShell",
      "feedback",
    ]),
    allowedLoginMethods: loginMethods(values.allowed_login_methods, forced),
    allowedSandboxModes: values.allowed_sandbox_modes?.filter((mode) => mode !== "external-sandbox") ?? null,
    allowedWindowsSandboxImplementations: values.windows?.allowed_sandbox_implementations ?? null,
    allowedWebSearchModes: withDisabled(values.allowed_web_search_modes),
    featureRequirements: values.features,
    hooks: values.hooks === null ? null : describeHooks(values.hooks),
    network: values.experimental_network === null ? null : describeNetwork(values, wire),
    sqliteHome: fileUrl(values.sqlite_home),
    logDir: fileUrl(values.log_dir),
    modelCatalogJson: fileUrl(values.model_catalog_json),
    otel: values.otel,
  } as ConfigRequirements;
}

function pick(from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, from[name] ?? null]));
}

/** Known keys are converted to wire names; user-chosen names are unchanged. */
function camelCased(kind: Kind<unknown>, value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  const { fields, entry } = kind;
  if (Array.isArray(value))
    return value.map((item) => (entry === undefined ? item : camelCased(entry, item)));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const field = fields?.[key];
      if (field !== undefined) return [camelCase(key), camelCased(field.kind, item)];
      return [key, entry === undefined ? item : camelCased(entry, item)];
    }),
  );
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function loginMethods(allowed: readonly LoginMethod[] | null, forced: LoginMethod | null): LoginMethod[] {
  const all: LoginMethod[] = ["api", "chatgpt"];
  return all.filter((method) => (allowed?.includes(method) ?? true) && (forced ?? method) === method);
}

function withDisabled<T extends string>(modes: readonly T[] | null): (T | "disabled")[] | null {
  if (modes === null) return null;
  return modes.some((mode) => mode === "disabled") ? [...modes] : [...modes, "disabled"];
}

function fileUrl(file: string | null): string | null {
  return file === null ? null : pathToFileURL(file).href;
}

type Hooks = NonNullable<RequirementValues["hooks"]>;

function describeHooks({
  managed_dir: managedDir,
  windows_managed_dir: windowsManagedDir,
  ...events
}: Hooks): object {
  const groups = Object.entries(events).map(([event, list]) => [
    event,
    list.map(({ matcher, hooks }) => ({ matcher, hooks: hooks.map(describeHandler) })),
  ]);
  return { ...Object.fromEntries(groups), managedDir, windowsManagedDir };
}

function describeHandler({ timeout, ...handler }: Record<string, unknown>): object {
  const timeoutSec = timeout ?? null;
  if (handler["type"] === "mcp_tool") return { ...handler, timeoutSec };
  if (handler["type"] !== "command") return handler;
  return { additionalContextLimit: null, ...handler, timeoutSec };
}

function describeNetwork(values: RequirementValues, wire: Record<string, unknown>): object {
  const { domains, unix_sockets: sockets } = values.experimental_network ?? {
    domains: null,
    unix_sockets: null,
  };
  const allowedSockets = namesOf(sockets, "allow");
  return {
    ...(wire["experimentalNetwork"] as object),
    allowedDomains: namesOf(domains, "allow"),
    deniedDomains: namesOf(domains, "deny"),
    allowUnixSockets: allowedSockets,
  };
}

/** Null instead of an empty list. */
function namesOf(permissions: Readonly<Record<string, string>> | null, wanted: string): string[] | null {
  const names = Object.entries(permissions ?? {}).flatMap(([name, permission]) =>
    permission === wanted ? [name] : [],
  );
  return names.length === 0 ? null : names.sort();
}
