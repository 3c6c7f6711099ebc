/** `heddle exec` beside `codex exec`, with the same words and the same scripted model. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { PEER_VERSION } from "../conformance/peer.ts";
import { cases } from "../exec/cases.ts";
import type { NormalEnded } from "../exec/normalise-ended.ts";

const isHere = existsSync(join(process.cwd(), ".cache", "peer", PEER_VERSION, "node_modules"));
const mayIsolate = isHere && spawnSync("unshare", ["--net", "--mount", "true"]).status === 0;
const lack = isHere ? "may make namespaces" : "the peer: run npm run conformance once";

describe.skipIf(!mayIsolate)(`what the peer does${mayIsolate ? "" : ` [needs ${lack}]`}`, () => {
  let results: Record<string, { readonly heddle: NormalEnded[]; readonly peer: NormalEnded[] }> = {};
  beforeAll(() => {
    const args = [join("scripts", "run.mjs"), join("test", "exec", "main.ts")];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`the comparison ended with ${status}: ${stderr}`);
    results = JSON.parse(stdout) as typeof results;
  }, 120_000);

  test.each(cases)("Heddle does as well: $name", ({ name, calls }) => {
    const { heddle, peer } = results[name] ?? { heddle: [], peer: [] };
    expect(heddle).toEqual(peer);
    expect(heddle).toHaveLength(calls.length);
  });
});
