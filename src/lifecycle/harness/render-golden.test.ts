import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { deliberate, expand, golden } from "../golden.fixture.ts";
import { type Directive, resultOfDirective } from "../vocabulary/result.ts";
import { type Rendered, render } from "./render.ts";
import type { PlacedPayload } from "./render-context.ts";

interface Case {
  readonly id: string;
  readonly adapter: string;
  readonly event: Parameters<typeof render>[0]["event"];
  readonly seed_differs?: boolean;
  readonly input: {
    readonly payloads: string;
    readonly directive: string | Directive;
    readonly adapter_id?: string;
  };
  readonly expected: {
    readonly error?: string;
    readonly hook_event_name?: string;
    readonly stdout_sha256?: string;
  };
}

const cases: readonly Case[] = golden.render;
const differing = deliberate("render");

function rendered({ adapter, event, input }: Case): Rendered {
  const directive: Directive | null =
    typeof input.directive === "string" ? golden.directives[input.directive] : input.directive;
  return render({
    adapter,
    event,
    form: "compatible",
    adapterId: input.adapter_id ?? adapter,
    payloads: expand(golden.payload_sets[input.payloads]) as PlacedPayload[],
    result: resultOfDirective(directive, event),
  });
}

function summary(result: Rendered): Case["expected"] {
  if (!result.ok) return { error: result.error.kind };
  const digest = createHash("sha256").update(result.stdout).digest("hex").slice(0, 16);
  return {
    hook_event_name: result.hookEventName,
    ...(result.stdout !== "{}" && { stdout_sha256: digest }),
  };
}

function expected({ expected: { error, hook_event_name, stdout_sha256 } }: Case): Case["expected"] {
  if (error !== undefined) return { error };
  return {
    ...(hook_event_name !== undefined && { hook_event_name }),
    ...(stdout_sha256 !== undefined && { stdout_sha256 }),
  };
}

test("the compatible form is what the original prints, to the byte", () => {
  const others = cases.filter(({ id }) => !differing.has(id));
  const actual = others.map((each) => [each.id, summary(rendered(each))]);
  expect(actual).toEqual(others.map((each) => [each.id, expected(each)]));
  expect(cases).toHaveLength(993);
});

test("it differs where the seed does, and Codex takes nothing else", () => {
  expect([...differing].sort()).toEqual(
    cases
      .filter(({ seed_differs: differs }) => differs)
      .map(({ id }) => id)
      .sort(),
  );
  const results = cases.filter(({ id }) => differing.has(id)).map(rendered);
  expect(results.map((result) => result.ok && result.stdout)).toEqual(["{}", "{}", "{}", "{}", "{}"]);
  expect(results.map((result) => result.ok && result.notExpressed.length > 0)).not.toContain(false);
});

test("what the original drops in silence is reported", () => {
  const blocked = cases.filter(({ id }) => /session\.start(?:ing|ed)\/[a-z_0-9]+\/block$/.test(id));
  expect(blocked.length).toBeGreaterThan(40);
  for (const each of blocked) {
    const result = rendered(each);
    expect(result.ok && result.notExpressed.map(({ what }) => what)).toContain("deny");
  }
});
