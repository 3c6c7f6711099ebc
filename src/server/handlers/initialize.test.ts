import { expect, test } from "vitest";
import { createIdentity } from "../../runtime/configuration/identity.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { createInitializeHandlers } from "./initialize.ts";

test.each([
  ["codex_app_server_daemon", "codex_cli_rs"],
  ["codex-backend", "codex_cli_rs"],
  ["editor", "editor"],
])("after the handshake of %s the server presents itself as %s", async (name, originator) => {
  const identity = createIdentity({});
  const { initialize } = createInitializeHandlers({ home: "/home", identity, greet: async () => {} });
  const context = { connection: {} as ClientConnection, afterResponse() {} };
  await initialize({ clientInfo: { name, title: null, version: "1" }, capabilities: null }, context);
  expect(identity.originator).toBe(originator);
});
