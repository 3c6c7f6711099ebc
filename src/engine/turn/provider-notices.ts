import type { ModelEvent } from "../../model/model.ts";
import type { Emit } from "../state/events.ts";

export interface ProviderNoticesOptions {
  readonly threadId: string;
  readonly turnId: string;
  readonly emit: Emit;
  readonly requestedModel: string;
}

/** Passes on what the provider says about a turn besides its answer: each thing once. */
export interface ProviderNotices {
  read(event: ModelEvent): void;
}

export function createProviderNotices({
  threadId,
  turnId,
  emit,
  requestedModel,
}: ProviderNoticesOptions): ProviderNotices {
  const ids = { threadId, turnId };
  let isRerouted = false;
  let isVerified = false;
  return {
    read(event) {
      if (event.type === "serverModel") {
        if (isRerouted || event.model.toLowerCase() === requestedModel.toLowerCase()) return;
        isRerouted = true;
        const route = { fromModel: requestedModel, toModel: event.model };
        emit("model/rerouted", { ...ids, ...route, reason: "highRiskCyberActivity" });
      } else if (event.type === "verification") {
        if (isVerified) return;
        isVerified = true;
        emit("model/verification", { ...ids, verifications: [...event.verifications] });
      } else if (event.type === "moderation") {
        emit("turn/moderationMetadata", { ...ids, metadata: event.metadata });
      }
    },
  };
}
