import { expect, test } from "vitest";
import { createProviderNotices } from "./provider-reports.ts";

const ids = { threadId: "thread", turnId: "turn" };

function create() {
  const told: unknown[] = [];
  const notices = createProviderNotices({
    ...ids,
    emit: (method, params) => told.push({ method, params }),
    requestedModel: "Model-A",
  });
  return { notices, told };
}

test("another model than the one that was asked for is told once", () => {
  const { notices, told } = create();
  for (const model of ["model-a", "model-b", "model-c"]) notices.read({ type: "serverModel", model });
  const params = { ...ids, fromModel: "Model-A", toModel: "model-b", reason: "highRiskCyberActivity" };
  expect(told).toEqual([{ method: "model/rerouted", params }]);
});

test("a wish to verify the user is told once", () => {
  const { notices, told } = create();
  notices.read({ type: "verification", verifications: ["trustedAccessForCyber"] });
  notices.read({ type: "verification", verifications: ["trustedAccessForCyber"] });
  expect(told).toEqual([
    { method: "model/verification", params: { ...ids, verifications: ["trustedAccessForCyber"] } },
  ]);
});

test("what is said about moderation is told each time, as it is", () => {
  const { notices, told } = create();
  notices.read({ type: "moderation", metadata: { a: 1 } });
  notices.read({ type: "moderation", metadata: null });
  expect(told).toEqual([
    { method: "turn/moderationMetadata", params: { ...ids, metadata: { a: 1 } } },
    { method: "turn/moderationMetadata", params: { ...ids, metadata: null } },
  ]);
});

test("the answer itself is no notice", () => {
  const { notices, told } = create();
  notices.read({ type: "created" });
  notices.read({ type: "textDelta", itemId: "m", delta: "x" });
  expect(told).toEqual([]);
});
