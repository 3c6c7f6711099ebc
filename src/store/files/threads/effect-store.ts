import type { Effect } from "../../journal.ts";
import type { Fence } from "../../leases.ts";

/**
 * Where a journal in files keeps the effects of lines. The file and the database cannot change in one step: an effect is
 * prepared in the database, its lines are written, and then it is applied. What a process that died in between has
 * prepared is decided by whether the lines are there.
 */
export interface EffectStore {
  /** Never rejects: an effect that could not be prepared is still applied. */
  prepare(effects: readonly Effect[]): Promise<void>;
  /** Applies effects, all or none; rejects if the database fails. May be repeated. */
  apply(fence: Fence, effects: readonly Effect[]): Promise<void>;
  /** Called where the lines were not stored. Never rejects. */
  drop(effects: readonly Effect[]): Promise<void>;
}

/** For threads without a database for effects. */
export const NO_EFFECT_STORE: EffectStore = {
  async prepare() {},
  async apply() {
    throw new Error("these threads were opened without a store for effects");
  },
  async drop() {},
};
