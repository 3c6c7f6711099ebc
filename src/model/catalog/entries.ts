/** The built-in model table. Names and numbers match the peer; the descriptions are our own. */
import type { MultiAgentVersion, Verbosity } from "../../protocol/generated/types.ts";

export interface CatalogEntry {
  readonly slug: string;
  readonly displayName: string;
  readonly description: string;
  readonly hidden: boolean;
  readonly efforts: readonly Effort[];
  readonly defaultEffort: Effort;
  readonly verbosity: Verbosity;
  /** `code`: the model calls tools from a script. */
  readonly toolMode: "classic" | "code";
  readonly multiAgentVersion: MultiAgentVersion | null;
  /** In tokens; the configuration may raise it up to `maxContextWindow`. */
  readonly contextWindow: number;
  readonly maxContextWindow: number;
  /** The description of the fast tier, for models that have one. */
  readonly fast: string | null;
  readonly isFastByDefault: boolean;
  /** The successor model. */
  readonly upgrade: string | null;
  readonly specialty: string | null;
}

export type Effort = keyof typeof EFFORTS;

export const EFFORTS = {
  low: "Answers quickly and thinks little",
  medium: "Thinks as much as everyday work needs",
  high: "Thinks longer about hard problems",
  xhigh: "Thinks very long about hard problems",
  max: "Thinks as long as it can, for the hardest problems",
  ultra: "Thinks as long as it can and hands parts of the work to other agents",
} as const;

const TO_XHIGH = ["low", "medium", "high", "xhigh"] as const;
const TO_MAX = [...TO_XHIGH, "max"] as const;
const TO_ULTRA = [...TO_MAX, "ultra"] as const;

const FAST = "1.5 times the speed";
const FAST_COSTLY = "1.5 times the speed, uses more of the plan";
const DOUBLE_SPEED_COSTLY = "Twice the speed, uses more of the plan";

const CODE_MODEL = {
  toolMode: "code",
  contextWindow: 272_000,
  maxContextWindow: 872_000,
  verbosity: "low",
  multiAgentVersion: "v2",
  efforts: TO_ULTRA,
  defaultEffort: "low",
  hidden: false,
  upgrade: null,
  specialty: null,
  fast: FAST_COSTLY,
  isFastByDefault: false,
} as const;

/** In listing order. The first visible entry is the default. */
export const ENTRIES: readonly CatalogEntry[] = [
  {
    ...CODE_MODEL,
    slug: "gpt-6.1-sol",
    displayName: "GPT-6.1-Sol",
    description: "The newest model for coding and daily work.",
    fast: DOUBLE_SPEED_COSTLY,
  },
  {
    ...CODE_MODEL,
    slug: "gpt-6-astra",
    displayName: "GPT-6-Astra",
    description: "The strongest model, for the hardest work.",
    fast: DOUBLE_SPEED_COSTLY,
  },
  {
    ...CODE_MODEL,
    slug: "gpt-6-sol",
    displayName: "GPT-6-Sol",
    description: "The daily-work model of the generation before.",
    defaultEffort: "medium",
    fast: FAST,
    isFastByDefault: true,
  },
  {
    ...CODE_MODEL,
    slug: "gpt-6-luna",
    displayName: "GPT-6-Luna",
    description: "Quick and cheap, for easy tasks.",
    efforts: TO_MAX,
    defaultEffort: "medium",
    fast: FAST,
    isFastByDefault: true,
  },
  {
    ...CODE_MODEL,
    slug: "gpt-5.6-sol",
    displayName: "GPT-5.6-Sol",
    description: "An older model for daily work.",
    upgrade: "gpt-6-sol",
  },
  {
    ...CODE_MODEL,
    slug: "gpt-6.1-terra",
    displayName: "GPT-6.1 Terra",
    description: "The Terra model of the newest generation.",
    contextWindow: 500_000,
    fast: FAST,
  },
  {
    ...CODE_MODEL,
    slug: "gpt-5.6-terra",
    displayName: "GPT-5.6-Terra",
    description: "An older model between quick and strong.",
    defaultEffort: "medium",
    upgrade: "gpt-6-sol",
  },
  {
    ...CODE_MODEL,
    slug: "gpt-5.6-luna",
    displayName: "GPT-5.6-Luna",
    description: "An older quick model.",
    efforts: TO_MAX,
    defaultEffort: "medium",
    upgrade: "gpt-6-luna",
    multiAgentVersion: "v1",
  },
  {
    ...CODE_MODEL,
    slug: "gpt-daybreak-blue-latest",
    displayName: "Daybreak Blue",
    description: "For defensive security work.",
    hidden: true,
    specialty: "cyber",
    fast: null,
  },
  {
    ...CODE_MODEL,
    slug: "gpt-daybreak-red-latest",
    displayName: "Daybreak Red",
    description: "For authorized security research that needs more leeway.",
    defaultEffort: "medium",
    verbosity: "high",
    hidden: true,
    specialty: "cyber",
    contextWindow: 372_000,
    maxContextWindow: 372_000,
    fast: null,
  },
  {
    ...CODE_MODEL,
    slug: "gpt-5.5",
    displayName: "GPT-5.5",
    description: "A coding model of an earlier generation.",
    toolMode: "classic",
    efforts: TO_XHIGH,
    defaultEffort: "medium",
    maxContextWindow: 272_000,
    upgrade: "gpt-6-sol",
    multiAgentVersion: null,
  },
  {
    ...CODE_MODEL,
    slug: "codex-auto-review",
    displayName: "Codex Auto Review",
    description: "Reviews requests for approval.",
    efforts: TO_MAX,
    defaultEffort: "medium",
    hidden: true,
    multiAgentVersion: "v1",
  },
];

/** The scripted model; listed alone, and only if its provider is in use. */
export const DEMO_ENTRY: CatalogEntry = {
  ...CODE_MODEL,
  slug: "heddle-demo",
  displayName: "Heddle demo",
  description: "A scripted model that works without a network. Say help to see what it can do.",
  toolMode: "classic",
  efforts: ["low", "medium", "high"],
  defaultEffort: "medium",
  maxContextWindow: 272_000,
  multiAgentVersion: null,
  fast: null,
};
