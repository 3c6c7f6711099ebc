import { describe, expect, test } from "vitest";
import { MAX_AUDIT_DETAIL, type NewAuditEntry } from "../audit.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";

const entry = (more: Partial<NewAuditEntry>): NewAuditEntry => ({
  subject: "ana",
  client: "console",
  method: "thread/queue/pause",
  threadId: "thread",
  detail: null,
  ...more,
});

export function auditContract(createHarness: CreateHarness): void {
  describe("the audit log", () => {
    test("lists what was changed, newest first, by each of its facts", async () => {
      const harness = createHarness();
      const { audit } = await harness.open();
      await audit.record(entry({}));
      harness.advance(1000);
      await audit.record(
        entry({ subject: null, method: "config/batchWrite", threadId: null, detail: "Hooks.state" }),
      );
      await audit.record(entry({ subject: "ben", threadId: "other" }));
      const [third, second, first] = await audit.list({ limit: 9 });
      expect([first?.subject, second?.subject, third?.subject]).toEqual(["ana", null, "ben"]);
      expect(first).toEqual({ ...entry({}), number: first?.number, atMs: harness.now() - 1000 });
      const numbers = async (query: object) =>
        (await audit.list({ limit: 9, ...query })).map(({ number }) => number);
      expect(await numbers({ limit: 1 })).toEqual([third?.number]);
      expect(await numbers({ before: third?.number })).toEqual([second?.number, first?.number]);
      expect(await numbers({ threadId: "thread" })).toEqual([first?.number]);
      expect(await numbers({ subject: "ben" })).toEqual([third?.number]);
      expect(await numbers({ text: "hooks.STATE" })).toEqual([second?.number]);
      expect(await numbers({ text: "queue" })).toEqual([third?.number, first?.number]);
      expect(await numbers({ text: "%" })).toEqual([]);
      expect(await (await harness.open()).audit.list({ limit: 9 })).toHaveLength(3);
    });

    test("cuts a long detail", async () => {
      const { audit } = await createHarness().open();
      await audit.record(entry({ detail: "x".repeat(MAX_AUDIT_DETAIL + 1) }));
      expect((await audit.list({ limit: 1 }))[0]?.detail).toBe(`${"x".repeat(MAX_AUDIT_DETAIL)}…`);
    });
  });
}
