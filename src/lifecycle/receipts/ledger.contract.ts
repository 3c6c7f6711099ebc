import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WIRE_VERSION } from "../wire/wire-error.ts";
import type { Intent, NewReceipt, ReceiptLedger } from "./ledger.ts";

export interface LedgerUnderTest {
  readonly ledger: ReceiptLedger;
  /** Removes a receipt without the ledger's knowledge, as damage would; its number stays assigned. */
  lose(receiptId: string): void | Promise<void>;
  /** Opens another ledger on the same receipts, where they are durable. */
  reopen?(): Promise<ReceiptLedger>;
  close?(): void | Promise<void>;
}

const KEY = { client_id: "audit", adapter_id: "codex", idempotency_key: "k" } as const;

export function receipt(id: string, members: Partial<NewReceipt> = {}): NewReceipt {
  return {
    schema_version: WIRE_VERSION,
    receipt_id: id,
    idempotency_key: null,
    client_id: "audit",
    adapter_id: "codex",
    invocation_id: `invocation of ${id}`,
    event: "session.started",
    event_id: "e",
    parent_receipt_id: null,
    integration_mode: "native_hook",
    status: "delivered",
    at_epoch_s: 100,
    failure_class: null,
    retry_class: null,
    ...members,
  };
}

function intent(id: string, members: Partial<Intent> = {}): Intent {
  return { ...KEY, receipt_id: id, fingerprint: "asked", expires_at_ms: 1000, ...members };
}

/** The contract of every ledger backend. */
export function ledgerContract(name: string, open: () => Promise<LedgerUnderTest>): void {
  describe(`${name} as a ledger`, () => {
    let subject: LedgerUnderTest;
    let ledger: ReceiptLedger;
    beforeEach(async () => {
      subject = await open();
      ledger = subject.ledger;
    });
    afterEach(async () => subject.close?.());

    const sequences = async (runId?: string) =>
      (await ledger.list(runId === undefined ? {} : { runId })).map(({ sequence }) => sequence);

    describe("numbers", () => {
      test("count from 1 for each run, and not where the run is not known", async () => {
        for (const [id, run] of Object.entries({ a: "A", b: "B", c: "A", d: undefined, e: "A" }))
          await ledger.record(receipt(id, run === undefined ? {} : { harness_run_id: run }), null);
        expect(await sequences("A")).toEqual([1, 2, 3]);
        expect(await sequences("B")).toEqual([1]);
        expect(await sequences()).toEqual([1, 1, 2, null, 3]);
      });

      test("are not used up by what is refused", async () => {
        await ledger.record(receipt("a", { harness_run_id: "A" }), null);
        const refused = await ledger.record(receipt("a", { harness_run_id: "A", event_id: "other" }), null);
        expect(refused.kind).toBe("receipt_id_taken");
        await ledger.record(receipt("b", { harness_run_id: "A" }), null);
        expect(await sequences("A")).toEqual([1, 2]);
        expect(await ledger.gaps("A")).toEqual([]);
      });

      test("are different for all that are recorded at once", async () => {
        const ids = Array.from({ length: 50 }, (_, index) => `r-${index}`);
        await Promise.all(ids.map((id) => ledger.record(receipt(id, { harness_run_id: "A" }), null)));
        expect((await sequences("A")).toSorted((one, other) => Number(one) - Number(other))).toEqual(
          ids.map((_, index) => index + 1),
        );
      });

      test("that are lost are found, and told of once", async () => {
        for (const id of ["a", "b", "c"]) await ledger.record(receipt(id, { harness_run_id: "A" }), null);
        await subject.lose("b");
        await subject.lose("c");
        expect(await ledger.gaps("A")).toEqual([{ run_id: "A", from: 2, to: 3 }]);
        const next = await ledger.record(receipt("d", { harness_run_id: "A" }), null);
        expect(next).toMatchObject({ receipt: { sequence: 4 }, gap: { run_id: "A", from: 2, to: 3 } });
        const after = await ledger.record(receipt("e", { harness_run_id: "A" }), null);
        expect(after).toMatchObject({ receipt: { sequence: 5 }, gap: null });
        expect(await ledger.gaps("A")).toEqual([{ run_id: "A", from: 2, to: 3 }]);
        expect(await ledger.gaps("unknown")).toEqual([]);
      });
    });

    describe("a key", () => {
      test("has one receipt: equal content is a replay, other content a conflict", async () => {
        const first = receipt("a", { idempotency_key: "k", harness_run_id: "A" });
        expect(await ledger.record(first, "asked")).toMatchObject({ kind: "recorded" });
        const again = { ...first, receipt_id: "b", invocation_id: "other", at_epoch_s: 999 };
        expect(await ledger.record(again, "asked")).toMatchObject({
          kind: "replayed",
          receipt: { receipt_id: "a", sequence: 1, at_epoch_s: 100 },
        });
        for (const change of [{ status: "skipped" }, { event_id: "x" }, { harness_session_id: "s" }] as const)
          expect(await ledger.record({ ...again, ...change }, "asked")).toEqual({
            kind: "conflict",
            receipt_id: "a",
          });
        expect(await sequences("A")).toEqual([1]);
      });

      test("keeps what the client wanted, so that who asks again hears the same", async () => {
        const denied = { decision: { kind: "deny", reason: "no" }, updated_input: { a: [null] } } as const;
        await ledger.begin(intent("a"), 0);
        await ledger.record(receipt("a", KEY), "asked", denied);
        expect(await ledger.begin(intent("b"), 0)).toMatchObject({ kind: "replayed", result: denied });
        expect(await ledger.record(receipt("c", KEY), "asked", {})).toMatchObject({
          kind: "replayed",
          result: denied,
        });
      });

      test("belongs to its client and its adapter", async () => {
        await ledger.record(receipt("a", { idempotency_key: "k" }), "asked");
        for (const [id, other] of [
          ["b", { client_id: "memory" }],
          ["c", { adapter_id: "claude" }],
          ["d", { idempotency_key: "l" }],
        ] as const)
          expect(
            await ledger.record(receipt(id, { idempotency_key: "k", event_id: "x", ...other }), "asked"),
          ).toMatchObject({ kind: "recorded" });
      });

      test("whose parts run into each other is another key", async () => {
        await ledger.record(receipt("a", { ...KEY, client_id: "x", adapter_id: "yz" }), "asked");
        expect(await ledger.find({ ...KEY, client_id: "xy", adapter_id: "z" })).toBeNull();
        expect(await ledger.find({ ...KEY, client_id: "x", adapter_id: "yz" })).toMatchObject({
          receipt_id: "a",
        });
      });

      test("is begun once, and recorded by who began it", async () => {
        expect(await ledger.begin(intent("a"), 0)).toEqual({ kind: "begun" });
        expect(await ledger.begin(intent("b"), 0)).toEqual({ kind: "pending" });
        expect(await ledger.find(KEY)).toBeNull();
        expect(await ledger.record(receipt("b", KEY), "asked")).toEqual({
          kind: "conflict",
          receipt_id: "a",
        });
        expect(await ledger.record(receipt("a", KEY), "asked")).toMatchObject({ kind: "recorded" });
        expect(await ledger.begin(intent("c"), 0)).toMatchObject({
          kind: "replayed",
          receipt: { receipt_id: "a" },
        });
        expect(await ledger.find(KEY)).toMatchObject({ receipt_id: "a" });
      });

      test("is begun by one of many that come at once", async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, index) => ledger.begin(intent(`r-${index}`), 0)),
        );
        expect(outcomes.filter(({ kind }) => kind === "begun")).toHaveLength(1);
        expect(outcomes.filter(({ kind }) => kind === "pending")).toHaveLength(19);
      });

      test("for which something else is asked is a conflict, before and after", async () => {
        await ledger.begin(intent("a"), 0);
        const other = intent("b", { fingerprint: "other" });
        expect(await ledger.begin(other, 0)).toEqual({ kind: "conflict", receipt_id: "a" });
        await ledger.record(receipt("a", KEY), "asked");
        expect(await ledger.begin(other, 0)).toEqual({ kind: "conflict", receipt_id: "a" });
      });

      test("whose owner is not heard of any more is taken over, and the owner comes too late", async () => {
        await ledger.begin(intent("a"), 0);
        expect(await ledger.begin(intent("b"), 999)).toEqual({ kind: "pending" });
        expect(await ledger.begin(intent("b", { expires_at_ms: 3000 }), 1000)).toEqual({
          kind: "abandoned",
          receipt_id: "a",
        });
        expect(await ledger.begin(intent("c"), 1001)).toEqual({ kind: "pending" });
        expect(await ledger.record(receipt("a", KEY), "asked")).toEqual({
          kind: "conflict",
          receipt_id: "b",
        });
        expect(await ledger.record(receipt("b", KEY), "asked")).toMatchObject({ kind: "recorded" });
      });

      test("that is pending can be waited for", async () => {
        await ledger.begin(intent("a"), 0);
        const never = new AbortController();
        const waiting = Promise.all([1, 2, 3].map(() => ledger.settled(KEY, never.signal)));
        await ledger.record(receipt("a", KEY), "asked");
        expect((await waiting).map((found) => found?.receipt_id)).toEqual(["a", "a", "a"]);
        expect(await ledger.settled(KEY, never.signal)).toMatchObject({ receipt_id: "a" });
      });

      test("that is pending is waited for no longer than one wants", async () => {
        await ledger.begin(intent("a"), 0);
        const enough = new AbortController();
        const waiting = ledger.settled(KEY, enough.signal);
        enough.abort();
        expect(await waiting).toBeNull();
        expect(await ledger.settled(KEY, AbortSignal.abort())).toBeNull();
      });
    });

    describe("a list", () => {
      test("has pages in the order of recording", async () => {
        for (const id of ["c", "a", "d", "b"])
          await ledger.record(receipt(id, { client_id: id === "d" ? "memory" : "audit" }), null);
        const ids = async (query: Parameters<ReceiptLedger["list"]>[0]) =>
          (await ledger.list(query)).map(({ receipt_id }) => receipt_id);
        expect(await ids({})).toEqual(["c", "a", "d", "b"]);
        expect(await ids({ limit: 2 })).toEqual(["c", "a"]);
        expect(await ids({ after: "a", limit: 2 })).toEqual(["d", "b"]);
        expect(await ids({ clientId: "audit", after: "a" })).toEqual(["b"]);
      });

      test("has the receipts as they were recorded, with their members in order", async () => {
        const odd = receipt("\u2028'; -- \u0000", {
          harness_run_id: "läuft 🧵",
          payload_receipts: [
            {
              payload_id: "__proto__",
              payload_kind: "k",
              placement: "receipt_only",
              status: "skipped",
              byte_size: 0,
            },
          ],
          telemetry_summary: { deep: [{ a: null }] },
          warnings: [{ code: "c", message: "m" }],
        });
        await ledger.record(odd, null);
        const [found] = await ledger.list();
        expect(found).toEqual({ ...odd, sequence: 1 });
        expect(Object.keys(found ?? {}).slice(0, 10)).toEqual([
          "schema_version",
          "receipt_id",
          "idempotency_key",
          "client_id",
          "adapter_id",
          "invocation_id",
          "event",
          "event_id",
          "sequence",
          "parent_receipt_id",
        ]);
      });
    });

    test("outlives the one that recorded, where receipts are kept", async () => {
      await ledger.begin(intent("a"), 0);
      await ledger.record(receipt("a", { ...KEY, harness_run_id: "A" }), "asked");
      await ledger.begin(intent("b", { idempotency_key: "open" }), 0);
      const again = (await subject.reopen?.()) ?? ledger;
      expect(await again.begin(intent("c"), 0)).toMatchObject({ kind: "replayed" });
      expect(await again.begin(intent("d", { idempotency_key: "open" }), 0)).toEqual({ kind: "pending" });
      expect(await again.record(receipt("e", { harness_run_id: "A" }), null)).toMatchObject({
        receipt: { sequence: 2 },
      });
    });
  });
}
