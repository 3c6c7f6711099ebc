import { expect, test } from "vitest";
import { scopes } from "../../protocol/access/scopes.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { type RequestRow, requestRows } from "../../protocol/generated/table.ts";
import type { AccessScope } from "../../protocol/generated/types.ts";
import { NO_EXTENSIONS } from "../../tools/mcp/client-extensions.ts";
import { admit } from "./admit.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { RequestMethod } from "./handler.ts";

const rows = Object.entries(requestRows) as [RequestMethod, RequestRow][];

test.each(scopes)(
  "a connection with the scope %s reaches the methods of this scope, and no other",
  (scope) => {
    const reached = rows.filter(([method]) => codeOf(method, new Set([scope])) !== errorCodes.forbidden);
    expect(reached.map(([method]) => method)).toEqual(
      rows.flatMap(([method, row]) => (row.scope === scope ? [method] : [])),
    );
  },
);

test("a connection without a token reaches every method", () => {
  const refused = rows.filter(([method]) => codeOf(method, new Set(scopes)) === errorCodes.forbidden);
  expect(refused).toEqual([]);
});

test("the error of a missing scope names the method and the scope", () => {
  expect(() => call("fs/readFile", new Set(["read", "operate"]))).toThrow(
    expect.objectContaining({
      code: errorCodes.forbidden,
      message: "fs/readFile needs the scope admin, which this connection does not have",
      data: { method: "fs/readFile", scope: "admin" },
    }),
  );
});

function codeOf(method: RequestMethod, allowed: ReadonlySet<AccessScope>): number | null {
  try {
    call(method, allowed);
    return null;
  } catch (error) {
    return (error as { code: number }).code;
  }
}

/** Params are not checked here, because a scope is refused whatever the params are. */
function call(method: RequestMethod, allowed: ReadonlySet<AccessScope>) {
  const handler = (): never => {
    throw new Error("unreachable");
  };
  const handlers = Object.fromEntries(rows.map(([name]) => [name, handler]));
  return admit(
    connectionWith(allowed, method),
    { kind: "request", id: 1, method, params: {} },
    {
      handlers: handlers as never,
      checker: { check: () => ({ ok: true, experimental: null }) },
      knowsFolder: async () => false,
      recordAudit: () => {},
    },
  );
}

function connectionWith(allowed: ReadonlySet<AccessScope>, method: string): ClientConnection {
  const handshake: ClientConnection["handshake"] =
    method === "initialize"
      ? { phase: "new" }
      : {
          phase: "ready",
          clientName: "test",
          clientVersion: "1",
          experimental: true,
          optedOut: new Set(),
          legacyApprovals: false,
          mcp: NO_EXTENSIONS,
        };
  return { scopes: allowed, handshake } as ClientConnection;
}
