/**
 * Selects the model of a turn's requests. Each turn begins with the model of its settings; if the provider cannot answer,
 * the turn continues with the configured fallbacks in order, and stays with the one that it has reached.
 */
import type { ModelInfo } from "../../model/catalog/model-info.ts";
import type { Model } from "../../model/model.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { FailedTurn } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** A model that requests go to where the one of the settings cannot answer. */
export interface ModelFallback {
  readonly model: string;
  readonly provider: string;
  /** Connections are opened on the first request. */
  open(): Promise<RoutedModel>;
}

export interface RoutedModel {
  /** The settings of the turn with this model, without what only the other model knows. */
  readonly settings: ThreadSettings;
  readonly model: Model;
  readonly info: () => ModelInfo;
}

/** The model of a request, with the settings and the setup for it. */
export interface ModelRoute {
  readonly core: ThreadCore;
  readonly setup: TurnSetup;
  readonly isFallback: boolean;
}

export interface ModelRoutes {
  current(): ModelRoute;
  /** Selects the next fallback if the failure was an overload; false if there is none. */
  reroute(failed: FailedTurn): Promise<boolean>;
}

export function createModelRoutes(core: ThreadCore, turn: ActiveTurn, setup: TurnSetup): ModelRoutes {
  const { id: threadId, emit, notify } = core;
  let route: ModelRoute = { core, setup, isFallback: false };
  let used = 0;

  return {
    current: () => route,
    async reroute({ cause, error }) {
      const next = setup.fallbacks[used];
      if (cause?.kind !== "overloaded" || next === undefined || turn.abort.signal.aborted) return false;
      used += 1;
      const { settings, model, info } = await next.open();
      const fromModel = route.core.settings.model;
      route = { core: { ...core, settings }, setup: { ...setup, model, info }, isFallback: true };
      // State of one provider is invalid for another one.
      turn.requestState.providerState = null;
      const ids = { threadId, turnId: turn.id };
      emit("model/rerouted", { ...ids, fromModel, toModel: next.model, reason: "providerUnavailable" });
      notify("warning", { threadId, message: explain(fromModel, next, error.message) });
      return true;
    },
  };
}

function explain(from: string, { model, provider }: ModelFallback, reason: string): string {
  return `\`${from}\` cannot answer now, so this turn goes on with \`${model}\` of the model provider \`${provider}\`: ${reason}`;
}
