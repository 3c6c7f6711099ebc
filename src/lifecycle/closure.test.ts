import { build } from "esbuild";
import { expect, test } from "vitest";

test("the library needs nothing but itself, and runs in browsers", async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: ["src/lifecycle/index.ts"],
    bundle: true,
    platform: "browser",
    format: "esm",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  expect(Object.keys(metafile.inputs).filter((file) => !file.startsWith("src/lifecycle/"))).toEqual([]);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  const text = outputFiles[0]?.text ?? "";
  expect(text).toMatch(/lifeloop\.v0\.4/);
  expect(text).not.toMatch(/\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/);
});
