/** Model properties that determine how the engine builds requests. */
import type {
  InputModality,
  ReasoningEffort,
  ReasoningSummary,
  Verbosity,
} from "../../protocol/generated/types.ts";
import { type CatalogEntry, DEMO_ENTRY, ENTRIES } from "./entries.ts";

export interface ModelInfo {
  /** The model is unknown; the values are conservative defaults. */
  readonly isFallback: boolean;
  readonly parallelToolCalls: boolean;
  /** Patches have their own tool; otherwise they are applied through the shell. */
  readonly hasApplyPatch: boolean;
  /** Tokens. */
  readonly contextWindow: number;
  /** The window reported to clients: a part is reserved for the response. */
  readonly usableContextWindow: number;
  readonly autoCompactTokenLimit: number;
  readonly defaultEffort: ReasoningEffort | null;
  readonly defaultSummary: ReasoningSummary;
  /** Null if the model has no verbosity setting. */
  readonly verbosity: Verbosity | null;
  readonly inputModalities: readonly InputModality[];
  /** The limit for tool output in the model's input. */
  readonly toolOutput: { readonly unit: "tokens" | "bytes"; readonly limit: number };
}

/** Values that take precedence over the catalog. */
export interface ModelInfoOverrides {
  readonly contextWindow?: number | null;
  /** The window reported by the provider: an upper limit. */
  readonly providerWindow?: number | null;
  readonly autoCompactTokenLimit?: number | null;
  /** Ignored if the model has no verbosity setting. */
  readonly verbosity?: Verbosity | null;
}

const FALLBACK_WINDOW = 272_000;
const TOOL_OUTPUT_LIMIT = 10_000;

/** The service tiers of a model besides the default one. */
export function serviceTiersOf(slug: string): readonly string[] {
  return (findEntry(slug)?.fast ?? null) === null ? [] : ["priority"];
}

/** Also resolves versioned and namespaced names, such as `gpt-5.5-2026-03-01` and `somewhere/gpt-5.5`. */
export function modelInfo(slug: string, overrides: ModelInfoOverrides = {}): ModelInfo {
  const entry = findEntry(slug);
  const info = entry === null ? FALLBACK : infoOf(entry);
  const maxWindow = overrides.providerWindow ?? entry?.maxContextWindow ?? FALLBACK_WINDOW;
  const defaultWindow = entry === null ? maxWindow : info.contextWindow;
  const contextWindow = Math.min(overrides.contextWindow ?? defaultWindow, maxWindow);
  const compactAt = Math.floor((contextWindow * 9) / 10);
  return {
    ...info,
    verbosity: info.verbosity === null ? null : (overrides.verbosity ?? info.verbosity),
    contextWindow,
    usableContextWindow: Math.floor((contextWindow * 95) / 100),
    autoCompactTokenLimit: Math.min(overrides.autoCompactTokenLimit ?? compactAt, compactAt),
  };
}

type BaseInfo = Omit<ModelInfo, "usableContextWindow" | "autoCompactTokenLimit">;

function infoOf(entry: CatalogEntry): BaseInfo {
  return {
    isFallback: false,
    parallelToolCalls: entry.toolMode === "classic",
    hasApplyPatch: true,
    contextWindow: entry.contextWindow,
    defaultEffort: entry.defaultEffort,
    defaultSummary: "none",
    verbosity: entry.verbosity,
    inputModalities: ["text", "image"],
    toolOutput: { unit: "tokens", limit: TOOL_OUTPUT_LIMIT },
  };
}

const FALLBACK: BaseInfo = {
  isFallback: true,
  parallelToolCalls: true,
  hasApplyPatch: false,
  contextWindow: FALLBACK_WINDOW,
  defaultEffort: null,
  defaultSummary: "auto",
  verbosity: null,
  inputModalities: ["text", "image"],
  toolOutput: { unit: "bytes", limit: TOOL_OUTPUT_LIMIT },
};

const NAMESPACED = /^[\w-]+\/([^/]+)$/;

function findEntry(slug: string): CatalogEntry | null {
  return longestPrefix(slug) ?? longestPrefix(NAMESPACED.exec(slug)?.[1] ?? "");
}

const ALL_ENTRIES: readonly CatalogEntry[] = [...ENTRIES, DEMO_ENTRY];

/** A loop without allocation, because it runs several times per turn. */
function longestPrefix(slug: string): CatalogEntry | null {
  let best: CatalogEntry | null = null;
  for (const entry of ALL_ENTRIES)
    if (slug.startsWith(entry.slug) && entry.slug.length > (best?.slug.length ?? -1)) best = entry;
  return best;
}
