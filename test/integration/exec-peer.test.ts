/** `heddle exec` compared to `codex exec`, with the same arguments and the same scripted model. */
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { PEER_VERSION } from "../conformance/peer.ts";
import { cases } from "../exec/cases.ts";
import type { NormalEnded } from "../exec/normalise-ended.ts";

const isHere = existsSync(join(process.cwd(), ".cache", "peer", PEER_VERSION, "node_modules"));
const mayIsolate = isHere && spawnSync("unshare", ["--net", "--mount", "true"]).status === 0;
const lack = isHere ? "leave to make namespaces" : "the peer: run npm run conformance once";

describe.skipIf(!mayIsolate)(`what the peer does${mayIsolate ? "" : ` [needs ${lack}]`}`, () => {
  let results: Record<string, { readonly heddle: NormalEnded[]; readonly peer: NormalEnded[] }> = {};
  beforeAll(async () => {
    const args = [join("scripts", "run.mjs"), join("test", "exec", "main.ts")];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 });
    results = JSON.parse(stdout) as typeof results;
  }, 120_000);

  test.each(cases)("Heddle does as well: $name", ({ name, calls }) => {
    const { heddle, peer } = results[name] ?? { heddle: [], peer: [] };
    expect(heddle).toEqual(peer);
    expect(heddle).toHaveLength(calls.length);
  });
});
