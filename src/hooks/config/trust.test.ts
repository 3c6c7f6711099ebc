import { describe, expect, test } from "vitest";
import { createLayer } from "../../config/layer.ts";
import type { TomlTable } from "../../config/toml/toml-value.ts";
import { parseHooksFile } from "./hooks-file.ts";
import { parseHooks } from "./parse-hooks.ts";
import { hookHash, hookKey, readHookStates, trustOf } from "./trust.ts";

function hashesOf(event: string, matcher: string | null, ...hooks: readonly object[]): string[] {
  const group = { ...(matcher !== null && { matcher }), hooks };
  const file = parseHooksFile("/h", Buffer.from(JSON.stringify({ hooks: { [event]: [group] } })));
  const tables = file.kind === "read" ? file.tables : null;
  return parseHooks({ path: "/h", tables, platform: "linux" }).definitions.map(hookHash);
}

const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });
const INPUT = { b: 1, a: { z: 1.5, y: [true, "x", 1e21] }, c: 2 };

/** Hashes as the peer lists them. */
test.each<[event: string, matcher: string | null, handler: object, hash: string]>([
  ["Stop", null, command("a"), "c75a850480544f28d4a0e3e73be3b2659a93058c0746b3a82ad494187e86ecbc"],
  ["Stop", "[", command("a"), "c75a850480544f28d4a0e3e73be3b2659a93058c0746b3a82ad494187e86ecbc"],
  [
    "Stop",
    null,
    command("b", { timeout: 0 }),
    "07eedaf3bdcb06297b65d7723b4b8c4b378383c52f5ed923873d420426e725e8",
  ],
  [
    "Stop",
    null,
    command("c", { async: true, additionalContextLimit: 7 }),
    "2059438f320848cceb7acf8fdc58553071c9fe35e3d05d84a38fe1a5e2f4dabd",
  ],
  [
    "PreToolUse",
    "Bash",
    command('é "q" \u0001 \u007f </x>', { statusMessage: "s", additionalContextLimit: 2500 }),
    "04ca3049f5aa6c52dfdf64f453896d9ad7b8daec9118c51d29bee58d4cb6ae3e",
  ],
  [
    "PreToolUse",
    "Bash",
    command("x", { additionalContextLimit: 10, commandWindows: "w" }),
    "7c00473f2b724d5b1c0610f7fe66d900799fd297e724e7873fa6a95a00d3da98",
  ],
  ["PreToolUse", "*", command("y"), "779ffadebb0212a2836c34300220a6be7f017ef1e9b0f475b793e267b345acc1"],
  ["PreToolUse", "", command("z"), "07041e9f2ba19bbfb778902924588c0ba76fe1ecfeca48cb060402500543c990"],
  [
    "SessionEnd",
    "other",
    command("se", { async: true }),
    "ce12369b8766f51176d17d322f9dea54dbf7c1dbc2a5f99508f347c0ba969c5b",
  ],
  [
    "SessionEnd",
    "other",
    command("se2", { timeout: 100 }),
    "8a48259a3d76dbdb633d3bf5cd457525714ffe9d8c89b2d4d4440d46eec45004",
  ],
  [
    "Interrupt",
    "q",
    command("i2", { timeout: 9, async: true }),
    "65c141d057ee00d653d3893101d9ff42686109ccf13d0f1db30dfbcfc13f4448",
  ],
  [
    "Interrupt",
    "q",
    { type: "mcp_tool", server: "s", tool: "t" },
    "0786b052091b96e1fe9cea13da6ac07eabf8d1cd45f8f019b0e3eab8238648a7",
  ],
  [
    "PostToolUse",
    null,
    { type: "mcp_tool", server: "s", tool: "t", input: INPUT, timeout: 3, statusMessage: "m" },
    "1a271aed368915eaf7ce56e16a5e3d3f983ebd5a12e0435cf0ac67b7a423893b",
  ],
  [
    "SubagentStart",
    "x",
    command("sa", { additionalContextLimit: 0 }),
    "98247ac3aba3785a1d2495e4ddae5860b08efc143c2ac857977a29372afc3e40",
  ],
])("the digest of a hook of %s on %j, %j, is the peer's", (event, matcher, handler, hash) => {
  expect(hashesOf(event, matcher, handler)).toEqual([`sha256:${hash}`]);
});

test("Heddle's own members are part of the digest only where they are used", () => {
  const [plain, ...others] = hashesOf(
    "Stop",
    null,
    command("c"),
    command("c", { onFailure: "closed" }),
    command("c", { sandbox: true }),
    { type: "http", url: "http://h/" },
    { type: "http", url: "http://h/", headers: { a: "b" } },
    { type: "http", url: "http://h/", headers: { a: "c" } },
    { type: "module", path: "./m.mjs" },
    { type: "prompt", prompt: "p" },
    { type: "prompt", prompt: "p", model: "m" },
  );
  expect(new Set([plain, ...others]).size).toBe(others.length + 1);
  expect(hashesOf("Stop", null, command("c", { onFailure: "open", sandbox: false }))).toEqual([plain]);
  expect(hashesOf("Stop", null, command("c", { onFailure: "continue" }))).toEqual([plain]);
  expect(hashesOf("Stop", null, command("c", { onFailure: "block" }))).toEqual(
    hashesOf("Stop", null, command("c", { onFailure: "closed" })),
  );
});

test("a key is the position of the handler, also after a skipped one", () => {
  const tables = { PreToolUse: [{ hooks: [] }, { hooks: [{ type: "agent" }, command("c")] }] };
  const { definitions } = parseHooks({ path: "/h", tables, platform: "linux" });
  expect(definitions.map((definition) => hookKey("/h", definition))).toEqual(["/h:pre_tool_use:1:1"]);
});

describe("the user's state of hooks", () => {
  const layer = (source: "user" | "sessionFlags" | "project", state: unknown) =>
    createLayer({
      source:
        source === "user"
          ? { type: "user", file: "/c", profile: null }
          : source === "project"
            ? { type: "project", dotCodexFolder: "/p" }
            : { type: "sessionFlags" },
      table: { hooks: { state } } as TomlTable,
      resolvePath: () => undefined,
    });

  test("is read from the user's layers alone, member by member", () => {
    const states = readHookStates([
      layer("user", { " a ": { enabled: false, trusted_hash: "1" }, b: { enabled: "no" }, c: 3, "": {} }),
      layer("project", { a: { enabled: true }, d: { trusted_hash: "9" } }),
      layer("sessionFlags", { a: { trusted_hash: "2" } }),
      layer("sessionFlags", 3),
    ]);
    expect([...states]).toEqual([["a", { enabled: false, trustedHash: "2" }]]);
  });

  test.each([
    [false, undefined, { enabled: true, trustStatus: "untrusted" }],
    [false, { enabled: null, trustedHash: "h" }, { enabled: true, trustStatus: "trusted" }],
    [false, { enabled: false, trustedHash: "h" }, { enabled: false, trustStatus: "trusted" }],
    [false, { enabled: true, trustedHash: "other" }, { enabled: true, trustStatus: "modified" }],
    [true, { enabled: false, trustedHash: "other" }, { enabled: true, trustStatus: "managed" }],
  ] as const)("decides whether it runs: managed %j, %j", (isManaged, state, expected) => {
    expect(trustOf(isManaged, "h", state)).toEqual(expected);
  });
});
