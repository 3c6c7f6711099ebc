/** The models that a client can choose from, in the format of `model/list`. */
import type { Model, ModelListParams, ModelListResponse } from "../../protocol/generated/types.ts";
import { type CatalogEntry, DEMO_ENTRY, EFFORTS, ENTRIES } from "./entries.ts";

/** Exactly one model is the default, and it is not hidden. */
export type ModelCatalog = readonly Model[];

interface CatalogOptions {
  readonly isDemo: boolean;
}

/** Lists only usable models: without a configured provider, that is the demo model alone. */
export function createModelCatalog(options: CatalogOptions): ModelCatalog {
  const entries = entriesOf(options);
  const first = defaultEntry(entries);
  return entries.map((entry) => toModel(entry, entry === first));
}

/** The model of a thread without an explicit choice. */
export function defaultModel(options: CatalogOptions): string {
  return defaultEntry(entriesOf(options))?.slug ?? "";
}

function entriesOf({ isDemo }: CatalogOptions): readonly CatalogEntry[] {
  return isDemo ? [DEMO_ENTRY] : ENTRIES;
}

function defaultEntry(entries: readonly CatalogEntry[]): CatalogEntry | undefined {
  return entries.find((entry) => !entry.hidden);
}

export type ModelPage =
  | { readonly kind: "page"; readonly page: ModelListResponse }
  /** The cursor is invalid; the message is for the client. */
  | { readonly kind: "refused"; readonly message: string };

const MAX_CURSOR = 2n ** 64n - 1n;

export function listModels(
  catalog: ModelCatalog,
  { includeHidden, limit, cursor }: ModelListParams,
): ModelPage {
  const models = includeHidden === true ? catalog : catalog.filter((model) => !model.hidden);
  const start = parseCursor(cursor ?? "0");
  if (start === null) return { kind: "refused", message: `invalid cursor: ${cursor}` };
  if (start > models.length) {
    return { kind: "refused", message: `cursor ${start} exceeds total models ${models.length}` };
  }
  const end = Number(start) + Math.max(limit ?? models.length, 1);
  return {
    kind: "page",
    page: {
      data: models.slice(Number(start), end),
      nextCursor: end < models.length ? String(end) : null,
    },
  };
}

function parseCursor(text: string): bigint | null {
  if (!/^\+?\d+$/.test(text)) return null;
  const value = BigInt(text.replace("+", ""));
  return value > MAX_CURSOR ? null : value;
}

function toModel(entry: CatalogEntry, isDefault: boolean): Model {
  const { slug, upgrade, fast } = entry;
  return {
    id: slug,
    model: slug,
    upgrade,
    upgradeInfo:
      upgrade === null
        ? null
        : {
            model: upgrade,
            upgradeCopy: null,
            modelLink: null,
            migrationMarkdown: `${entry.displayName} has a successor: ${upgrade}.\n`,
            retirementAt: null,
          },
    availabilityNux: null,
    displayName: entry.displayName,
    description: entry.description,
    modelSpecialty: entry.specialty,
    hidden: entry.hidden,
    supportedReasoningEfforts: entry.efforts.map((effort) => ({
      reasoningEffort: effort,
      description: EFFORTS[effort],
    })),
    defaultReasoningEffort: entry.defaultEffort,
    inputModalities: ["text", "image"],
    supportsPersonality: false,
    multiAgentVersion: entry.multiAgentVersion,
    additionalSpeedTiers: fast === null ? [] : ["fast"],
    serviceTiers: fast === null ? [] : [{ id: "priority", name: "Fast", description: fast }],
    defaultServiceTier: entry.isFastByDefault ? "priority" : null,
    availableAccessPrograms: null,
    isDefault,
  };
}
