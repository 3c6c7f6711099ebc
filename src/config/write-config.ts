// `config/value/write` and `config/batchWrite`: validates a change, writes it into the user's file and
// reports whether another layer overrides it.
import { realpath } from "node:fs/promises";
import path from "node:path";
import type {
  ConfigBatchWriteParams,
  ConfigWriteResponse,
  OverriddenMetadata,
} from "../protocol/generated/types.ts";
import { type ConfigContext, loadAll } from "./config-context.ts";
import { applyEdit, type ParsedEdit, parseEdit } from "./config-edit.ts";
import { type ConfigResult, configFailure, rejectWrite } from "./config-error.ts";
import { enabledLayers, evaluate } from "./effective-config.ts";
import {
  absoluteOnly,
  createLayer,
  describeOverride,
  type Layer,
  layerMetadata,
  outranks,
  relativeTo,
} from "./layer.ts";
import { mergeTables } from "./merge-tables.ts";
import { checkFeatures, type Requirements } from "./requirements.ts";
import { saveEdits } from "./save-edits.ts";
import { checkTable, configSchema } from "./schema/config-schema.ts";
import { describeInTable } from "./toml/config-fault.ts";
import { sameValue, type TomlTable, toJson, valueAt } from "./toml/toml-value.ts";

type WriteParams = Pick<ConfigBatchWriteParams, "edits" | "filePath" | "expectedVersion">;

/** How often a write is retried because the file changed meanwhile. */
const MAX_ATTEMPTS = 50;

export async function writeConfig(
  context: ConfigContext,
  params: WriteParams,
): Promise<ConfigResult<ConfigWriteResponse>> {
  const { userFile } = context.loader;
  const provided = path.resolve(context.cwd, params.filePath ?? userFile);
  if (!(await isSameFile(provided, userFile))) {
    return rejectWrite("configLayerReadonly", "Only writes to the user config are allowed");
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const written = await writeOnce(context, params, provided);
    if (written !== "changed") return written;
  }
  return configFailure(`failed to persist config.toml: ${userFile} is being changed by another program`);
}

async function writeOnce(
  context: ConfigContext,
  params: WriteParams,
  provided: string,
): Promise<ConfigResult<ConfigWriteResponse> | "changed"> {
  const { loader, settings, createId } = context;
  const loaded = await loadAll(context, {});
  if (!loaded.ok) return configFailure(`failed to load configuration: ${loaded.error.message}`);
  const { layers, requirements } = loaded.value;
  const userLayer = layers.findLast(({ source }) => source.type === "user");
  if (userLayer === undefined) return configFailure("user layer not found");
  const { expectedVersion } = params;
  if (typeof expectedVersion === "string" && expectedVersion !== userLayer.version) {
    const advice = "Configuration was modified since last read. Fetch latest version and retry.";
    return rejectWrite("configVersionConflict", advice);
  }
  const planned = planChange(userLayer, params, requirements);
  if (!planned.ok) return planned;
  const { edits, written: after, table } = planned.value;
  const resolvePath = relativeTo(path.dirname(loader.userFile), settings.userHome);
  const withTable = (next: TomlTable) => createLayer({ source: userLayer.source, table: next, resolvePath });
  const nextLayer = withTable(after);
  const nextLayers = layers.map((layer) => (layer === userLayer ? nextLayer : layer));
  const violation = findViolationIn(table, nextLayers) ?? checkFeatures(requirements, table["features"]);
  if (violation !== undefined)
    return rejectWrite("configValidationError", `Invalid configuration: ${violation}`);
  const { written: before, file } = userLayer;
  const paths = edits.map((edit) => edit.path);
  const saved = await saveEdits({ file: loader.userFile, text: file?.text, before, after, paths, createId });
  if (saved === "changed") return "changed";
  if (!saved.ok) return configFailure(`failed to persist config.toml: ${saved.message}`);
  return { ok: true, value: respond(withTable(saved.table), nextLayers, edits, provided) };
}

interface PlannedChange {
  readonly edits: readonly ParsedEdit[];
  /** The table to write, and the same with the file's existing paths made absolute. */
  readonly written: TomlTable;
  readonly table: TomlTable;
}

function planChange(
  layer: Layer,
  { edits }: WriteParams,
  requirements: Requirements | null,
): ConfigResult<PlannedChange> {
  const parsed: ParsedEdit[] = [];
  let { written, table } = layer;
  for (const edit of edits) {
    const result = parseEdit(edit, requirements);
    if (!result.ok) return result;
    parsed.push(result.value);
    const changed = applyEdit(written, result.value);
    if (!changed.ok) return changed;
    written = changed.value;
    const normal = applyEdit(table, result.value);
    table = normal.ok ? normal.value : table;
  }
  return { ok: true, value: { edits: parsed, written, table } };
}

/**
 * Both the file on its own and the merged configuration must be valid. Paths in a write have no base folder,
 * so that only those that were in the file before are made absolute in `table`.
 */
function findViolationIn(table: TomlTable, layers: readonly Layer[]): string | undefined {
  const own = checkTable(configSchema, table, { form: "wire", resolvePath: absoluteOnly });
  if (!own.ok) return describeInTable(own.fault);
  const whole = evaluate(layers);
  return whole.ok ? undefined : describeInTable(whole.fault);
}

function respond(
  userLayer: Layer,
  layers: readonly Layer[],
  edits: readonly ParsedEdit[],
  filePath: string,
): ConfigWriteResponse {
  const overridden = edits
    .map(({ path: keys }) => overriddenBy(layers, userLayer, keys))
    .find((found) => found !== undefined);
  return {
    status: overridden === undefined ? "ok" : "okOverridden",
    version: userLayer.version,
    filePath,
    overriddenMetadata: overridden ?? null,
  };
}

function overriddenBy(
  layers: readonly Layer[],
  userLayer: Layer,
  keys: readonly string[],
): OverriddenMetadata | undefined {
  const winner = enabledLayers(layers).findLast(({ table }) => valueAt(table, keys) !== undefined);
  if (winner === undefined || !outranks(winner.source, userLayer.source)) return undefined;
  const effective = valueAt(mergeTables(enabledLayers(layers).map(({ shown }) => shown)), keys);
  const own = valueAt(userLayer.shown, keys);
  if (own !== undefined && sameValue(own, effective)) return undefined;
  return {
    message: describeOverride(winner.source),
    overridingLayer: layerMetadata(winner),
    effectiveValue: effective === undefined ? null : toJson(effective),
  };
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  if (a === b) return true;
  const [realA, realB] = await Promise.all(
    [a, b].map((file) => realpath(file).catch(() => path.normalize(file))),
  );
  return realA === realB;
}
