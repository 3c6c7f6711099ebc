/** What the engine must know about a model to ask it properly. */
import type {
  InputModality,
  ReasoningEffort,
  ReasoningSummary,
  Verbosity,
} from "../../protocol/generated/types.ts";
import { type CatalogEntry, DEMO_ENTRY, ENTRIES } from "./entries.ts";

export interface ModelInfo {
  /** Nothing is known about the model; these are careful guesses. */
  readonly isFallback: boolean;
  readonly parallelToolCalls: boolean;
  /** Patches are a tool of their own; without it they come through the shell. */
  readonly hasApplyPatch: boolean;
  /** Tokens. */
  readonly contextWindow: number;
  /** What clients are told: some of the window is kept for the answer. */
  readonly usableContextWindow: number;
  readonly autoCompactTokenLimit: number;
  readonly defaultEffort: ReasoningEffort | null;
  readonly defaultSummary: ReasoningSummary;
  /** Null: the model has no such setting. */
  readonly verbosity: Verbosity | null;
  readonly inputModalities: readonly InputModality[];
  /** How much of a tool's output the model is shown. */
  readonly toolOutput: { readonly unit: "tokens" | "bytes"; readonly limit: number };
}

/** What wins over the catalog. */
export interface ModelInfoOverrides {
  readonly contextWindow?: number | null;
  /** What the provider itself says of the window: no request can be longer. */
  readonly providerWindow?: number | null;
  readonly autoCompactTokenLimit?: number | null;
  /** Heeded where the model has such a setting. */
  readonly verbosity?: Verbosity | null;
}

const FALLBACK_WINDOW = 272_000;
const TOOL_OUTPUT_LIMIT = 10_000;

/** The tiers beside the default one that requests to a model may ask for. */
export function serviceTiersOf(slug: string): readonly string[] {
  return (findEntry(slug)?.fast ?? null) === null ? [] : ["priority"];
}

/** Knows `gpt-5.5-2026-03-01` and `somewhere/gpt-5.5` by the model that they are a version of. */
export function modelInfo(slug: string, overrides: ModelInfoOverrides = {}): ModelInfo {
  const entry = findEntry(slug);
  const known = entry === null ? FALLBACK : infoOf(entry);
  const longest = overrides.providerWindow ?? entry?.maxContextWindow ?? FALLBACK_WINDOW;
  const usual = entry === null ? longest : known.contextWindow;
  const contextWindow = Math.min(overrides.contextWindow ?? usual, longest);
  const compactAt = Math.floor((contextWindow * 9) / 10);
  return {
    ...known,
    verbosity: known.verbosity === null ? null : (overrides.verbosity ?? known.verbosity),
    contextWindow,
    usableContextWindow: Math.floor((contextWindow * 95) / 100),
    autoCompactTokenLimit: Math.min(overrides.autoCompactTokenLimit ?? compactAt, compactAt),
  };
}

type KnownInfo = Omit<ModelInfo, "usableContextWindow" | "autoCompactTokenLimit">;

function infoOf(entry: CatalogEntry): KnownInfo {
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

const FALLBACK: KnownInfo = {
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

const KNOWN_ENTRIES: readonly CatalogEntry[] = [...ENTRIES, DEMO_ENTRY];

/** Asked several times in each turn. */
function longestPrefix(slug: string): CatalogEntry | null {
  let best: CatalogEntry | null = null;
  for (const entry of KNOWN_ENTRIES)
    if (slug.startsWith(entry.slug) && entry.slug.length > (best?.slug.length ?? -1)) best = entry;
  return best;
}
