import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fencedContext } from "../context/context.ts";
import { utf8Length } from "../text/text.ts";
import { PLACEMENTS, REQUIREMENTS, SUPPORT_STATES } from "../vocabulary/closed-sets.ts";
import type { AcceptablePlacement, PayloadEnvelope } from "../wire/payload-envelope.ts";
import { WIRE_VERSION } from "../wire/wire-error.ts";
import { openSpace, type PlacementClaims, placePayloads } from "./place.ts";

function payload(body: string, accepts: readonly AcceptablePlacement[], id = "p"): PayloadEnvelope {
  return {
    schema_version: WIRE_VERSION,
    payload_id: id,
    client_id: "c",
    payload_kind: "k",
    format: "f",
    content_encoding: "utf8",
    body,
    byte_size: 0,
    acceptable_placements: accepts,
  };
}

const claims: PlacementClaims = {
  developer_equivalent_frame: { support: "native", max_bytes: 10 },
  pre_prompt_frame: { support: "partial", max_bytes: 100 },
  side_channel_context: { support: "manual" },
};

function place(
  body: string,
  ...accepts: (readonly [AcceptablePlacement["placement"], AcceptablePlacement["requirement"]])[]
) {
  const envelope = payload(
    body,
    accepts.map(([placement, requirement]) => ({ placement, requirement })),
  );
  return placePayloads([envelope], openSpace(claims, 200, [envelope]))[0];
}

describe("the first place in which a payload fits is its place", () => {
  test("in the order of its sender", () => {
    expect(
      place("short", ["developer_equivalent_frame", "optional"], ["pre_prompt_frame", "required"]),
    ).toMatchObject({
      decision: "chosen",
      placement: "developer_equivalent_frame",
      first_preference: true,
    });
    expect(
      place("longer than ten", ["developer_equivalent_frame", "required"], ["pre_prompt_frame", "optional"]),
    ).toEqual({
      decision: "chosen",
      payload_id: "p",
      byte_size: 15,
      placement: "pre_prompt_frame",
      first_preference: false,
      rejected: [
        {
          placement: "developer_equivalent_frame",
          reason: "payload_too_large",
          byte_size: 15,
          max_bytes: 10,
        },
      ],
    });
  });

  test.each([
    [[["pre_prompt_frame", "required"]], "x".repeat(101), "failed", "payload_too_large"],
    [[["side_channel_context", "required"]], "x", "failed", "operator_required"],
    [
      [
        ["side_channel_context", "optional"],
        ["pre_prompt_frame", "required"],
      ],
      "x".repeat(101),
      "failed",
      "operator_required",
    ],
    [[["side_channel_context", "optional"]], "x", "skipped", undefined],
    [
      [
        ["pre_prompt_frame", "required"],
        ["receipt_only", "optional"],
      ],
      "x".repeat(101),
      "failed",
      "payload_too_large",
    ],
    [[["receipt_only", "required"]], "x".repeat(101), "chosen", undefined],
    [
      [
        ["pre_prompt_frame", "preferred"],
        ["receipt_only", "required"],
      ],
      "x".repeat(101),
      "chosen",
      undefined,
    ],
    [[], "x", "failed", "placement_unavailable"],
  ] as const)("%j", (accepts, body, decision, failureClass) => {
    const actual = place(body, ...accepts);
    expect(actual).toMatchObject({
      decision,
      ...(failureClass !== undefined && { failure_class: failureClass }),
    });
  });

  test("and one that is named a hundred thousand times is looked at once", () => {
    const many = Array.from({ length: 100_000 }, () => ["pre_prompt_frame", "optional"] as const);
    expect(place("x".repeat(1_000_000), ...many)?.rejected).toHaveLength(1);
  });
});

test("nothing is placed where it is not claimed, too large, or beyond the budget", () => {
  const claim = fc.record({
    support: fc.constantFrom(...SUPPORT_STATES),
    max_bytes: fc.integer({ min: 0, max: 60 }),
  });
  const accepts = fc.array(
    fc.record({ placement: fc.constantFrom(...PLACEMENTS), requirement: fc.constantFrom(...REQUIREMENTS) }),
    { minLength: 1, maxLength: 4 },
  );
  const payloads = fc.array(fc.tuple(fc.string({ unit: "binary", maxLength: 60 }), accepts), {
    maxLength: 8,
  });
  const table = fc.record({
    developer_equivalent_frame: claim,
    pre_prompt_frame: claim,
    side_channel_context: claim,
  });
  fc.assert(
    fc.property(table, payloads, fc.integer({ min: 0, max: 600 }), (placements, sent, budget) => {
      const envelopes = sent.map(([body, accepted], index) => payload(body, accepted, `p-${index}`));
      const decisions = placePayloads(envelopes, openSpace(placements, budget, envelopes));
      const told = envelopes.filter((_, index) => {
        const decision = decisions[index];
        return decision?.decision === "chosen" && decision.placement !== "receipt_only";
      });
      expect(told.length === 0 ? 0 : utf8Length(fencedContext(told))).toBeLessThanOrEqual(budget);
      decisions.forEach((decision, index) => {
        const envelope = envelopes[index]!;
        const isRequired = envelope.acceptable_placements.some(
          ({ requirement }) => requirement === "required",
        );
        if (decision.decision === "skipped") expect(isRequired).toBe(false);
        if (decision.decision === "failed") expect(isRequired).toBe(true);
        if (decision.decision !== "chosen") return;
        const wanted = envelope.acceptable_placements.map(({ placement }) => placement);
        expect(wanted).toContain(decision.placement);
        if (decision.placement === "receipt_only") return;
        const { support, max_bytes } = placements[decision.placement];
        expect(["native", "synthesized", "partial"]).toContain(support);
        expect(utf8Length(envelope.body ?? "")).toBeLessThanOrEqual(max_bytes);
      });
    }),
  );
});
