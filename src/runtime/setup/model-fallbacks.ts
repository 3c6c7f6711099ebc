/** The models that answer a thread's turns while its own cannot; they are read only where some are configured. */
import type { ThreadSettings } from "../../engine/state/settings.ts";
import type { ModelFallback } from "../../engine/turn/model-route.ts";

export interface ModelFallbacks {
  /** Without the model of the settings itself. */
  of(settings: ThreadSettings): readonly ModelFallback[];
  /** About entries that are left out. */
  readonly warnings: readonly string[];
}

export const NO_FALLBACKS: ModelFallbacks = { of: () => [], warnings: [] };
