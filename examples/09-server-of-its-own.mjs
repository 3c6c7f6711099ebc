// A server as a program that this one starts and ends: the same SDK, over its standard streams.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConnectionError, connect, RpcError } from "heddle/client";

const home = await mkdtemp(join(tmpdir(), "heddle-example-"));
const client = await connect("stdio:", {
  program: { env: { ...process.env, HEDDLE_HOME: home } },
  onConnectionChange: ({ kind }) => console.log(kind),
});
const thread = await client.startThread();
console.log((await thread.run("Hello!")).text);

// What the server refuses, and what no server hears, are told apart.
await assert.rejects(client.resumeThread("no-such-thread"), RpcError);
await client.close();
await assert.rejects(thread.run("Are you there?"), ConnectionError);
await rm(home, { recursive: true });
