import { spawnSync } from "node:child_process";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";

test("what a process has dropped is given back, and no flag stays", () => {
  const contents = `
    import { systemClock } from "../../base/clock.ts";
    import { createProcessHeap } from "./idle-collector.ts";
    const heap = createProcessHeap(systemClock);
    const first = heap.committedBytes();
    let dropped = [];
    for (let index = 0; index < 500_000; index += 1) dropped.push({ index, text: String(index) });
    const full = heap.committedBytes();
    dropped = [];
    const busy = heap.busyShare();
    heap.collectYoung();
    heap.collect();
    // The first collection may end a marking that began before the objects were dropped, which keeps them.
    heap.collect();
    console.log(JSON.stringify({ first, full, left: heap.committedBytes(), busy, hasGc: "gc" in globalThis }));
  `;
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "cjs",
    write: false,
  });
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", outputFiles[0]?.text ?? ""], {
    encoding: "utf8",
    timeout: 20_000,
  });
  expect(stderr).toBe("");
  const { first, full, left, busy, hasGc } = JSON.parse(stdout) as Record<string, number>;
  expect(full).toBeGreaterThan(first! + 20e6);
  expect(left).toBeLessThan(full! - 25e6);
  expect(busy).toBeGreaterThanOrEqual(0);
  expect(hasGc).toBe(false);
});
