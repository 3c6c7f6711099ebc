import { describe, expect, test } from "vitest";
import type { Approval } from "../../protocol/generated/types.ts";
import { answersOf } from "./answers.ts";

const approval = (kind: Approval["kind"], params: object): Approval => ({
  id: "1",
  threadId: "t",
  turnId: "u",
  itemId: "i",
  kind,
  status: "open",
  command: null,
  cwd: null,
  paths: null,
  changes: null,
  server: null,
  tool: null,
  reason: null,
  cause: null,
  requestId: null,
  isDurable: false,
  requestedAt: 0,
  ageMs: 0,
  until: null,
  verdict: null,
  request: { method: "item/commandExecution/requestApproval", params: { ...params } },
});
const keysOf = (...given: Parameters<typeof approval>) => answersOf(approval(...given)).map(({ key }) => key);

describe("the answers of a question", () => {
  test("offer a rule only with the prefix that the request proposes, and ask once more", () => {
    const offered = {
      availableDecisions: ["accept", "cancel"],
      proposedExecpolicyAmendment: ["npm", "test"],
    };
    expect(keysOf("command", offered)).toEqual(["allowOnce", "allowAlways", "decline", "declineAndStop"]);
    const always = answersOf(approval("command", offered)).find(({ key }) => key === "allowAlways");
    expect(always).toMatchObject({
      code: "npm test",
      asksAgain: true,
      decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["npm", "test"] } },
    });
    expect(keysOf("command", { proposedExecpolicyAmendment: [] })).not.toContain("allowAlways");
  });

  test("are for a whole thread where the request does not exclude it", () => {
    expect(keysOf("fileChange", {})).toContain("allowInThread");
    expect(keysOf("command", { availableDecisions: ["accept"] })).not.toContain("allowInThread");
  });

  test("are none where a form is filled in", () => {
    expect(keysOf("userInput", {})).toEqual([]);
    expect(keysOf("elicitation", {})).toEqual([]);
  });
});
