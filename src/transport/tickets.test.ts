import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseProtocol, createTickets, MAX_TICKETS, TICKET_MS } from "./tickets.ts";

test("a ticket is valid once, until it expires", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("issue" as const) }),
    fc.record({ do: fc.constant("redeem" as const), which: fc.nat(3) }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: TICKET_MS / 2 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let now = 0;
      const tickets = createTickets({ now: () => now, randomBytes });
      const issued: { ticket: string; at: number; isSpent: boolean }[] = [];
      for (const each of steps) {
        if (each.do === "wait") now += each.ms;
        else if (each.do === "issue")
          issued.push({ ticket: tickets.issue(null) ?? "", at: now, isSpent: false });
        else {
          const known = issued[each.which];
          const isGood = known !== undefined && !known.isSpent && now < known.at + TICKET_MS;
          expect(tickets.redeem(known?.ticket ?? "unknown")).toBe(isGood ? null : false);
          if (known !== undefined && isGood) known.isSpent = true;
        }
      }
    }),
  );
});

test("outstanding tickets are limited, and expired ones are dropped", () => {
  let now = 0;
  const tickets = createTickets({ now: () => now, randomBytes });
  for (let count = 0; count < MAX_TICKETS; count += 1) expect(tickets.issue(null)).toMatch(/^[\w-]{43}$/u);
  expect(tickets.issue(null)).toBeNull();
  now = TICKET_MS;
  expect(tickets.issue(null)).not.toBeNull();
});

test.each<[readonly string[], string | false]>([
  [[], false],
  [["codex"], "codex"],
  [["heddle-ticket.a", "codex"], "codex"],
  [["heddle-ticket.a"], "heddle-ticket.a"],
])("of the protocols %j the answer names %s", (offered, chosen) => {
  expect(chooseProtocol(new Set(offered))).toBe(chosen);
});
