/** Prices of tokens, as configured. */
import type { TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import type { ConfigSource } from "../configuration/config-source.ts";

/** The prices of a million tokens of a model. */
export interface ModelPrice {
  readonly input: number;
  /** That of other input by default. */
  readonly cached_input: number | null;
  readonly output: number;
}

export type Prices = Readonly<Record<string, ModelPrice>>;

type PricedTokens = Pick<TokenUsageBreakdown, "inputTokens" | "cachedInputTokens" | "outputTokens">;

/** Null for a model without a price. Input includes what was cached, and output includes reasoning. */
export function costOf(
  model: string,
  { inputTokens, cachedInputTokens, outputTokens }: PricedTokens,
  prices: Prices,
): number | null {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (price === undefined) return null;
  const fresh = Math.max(0, inputTokens - cachedInputTokens);
  const { input, cached_input: cached, output } = price;
  return (fresh * input + cachedInputTokens * (cached ?? input) + outputTokens * output) / 1_000_000;
}

/** None while the configuration cannot be read. */
export async function readPrices(config: Pick<ConfigSource, "get">): Promise<Prices> {
  const read = await (await config.get()).effective();
  return read.ok ? read.value.values.prices : {};
}
