import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openToolBench } from "../tool-bench.fixture.ts";
import { PNG } from "./images.fixture.ts";
import { createViewImage } from "./view-image.ts";

const tool = createViewImage({ acceptsImages: true, offersOriginal: true });
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-image-"));
  await writeFile(join(folder, "a.png"), Buffer.from(PNG, "base64"));
  await writeFile(join(folder, "a.txt"), "hello");
  await mkdir(join(folder, "folder"));
});

afterEach(() => rm(folder, { recursive: true }));

describe("view_image", () => {
  it("shows the model a file of the working directory, and clients that it did", async () => {
    const bench = openToolBench({ cwd: folder });
    expect(await bench.call(tool, { path: "a.png" })).toStrictEqual({
      output: [{ type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "high" }],
      success: true,
    });
    const item = { type: "imageView", id: "call-1", path: join(folder, "a.png") };
    expect(bench.seen).toStrictEqual([{ begun: item }, { completed: item }]);
  });

  it("keeps the full resolution on request, for models that support it", async () => {
    const bench = openToolBench({ cwd: folder });
    const input = { path: join(folder, "a.png"), detail: "original" };
    const details = [];
    for (const offersOriginal of [true, false]) {
      const { output } = await bench.call(createViewImage({ acceptsImages: true, offersOriginal }), input);
      details.push(
        typeof output === "string" ? output : output.map((part) => "detail" in part && part.detail),
      );
    }
    expect(details).toStrictEqual([["original"], ["high"]]);
  });

  it.each([
    ["none.png", "unable to locate image at `FOLDER/none.png`: No such file or directory (os error 2)"],
    ["folder", "image path `FOLDER/folder` is not a file"],
    ["a.txt", "unable to process image: invalid or unsupported image data"],
  ])("reports why %s cannot be shown", async (path, output) => {
    const bench = openToolBench({ cwd: folder });
    const expected = { output: output.replace("FOLDER", folder), success: false };
    expect(await bench.call(tool, { path })).toStrictEqual(expected);
    expect(bench.seen).toStrictEqual([]);
  });

  it("refuses other details", async () => {
    const bench = openToolBench({ cwd: folder });
    expect(await bench.call(tool, { path: "a.png", detail: "low" })).toStrictEqual({
      output:
        "view_image.detail only supports `high` or `original`; omit `detail` for default high resized behavior, got `low`",
      success: false,
    });
  });

  it("is not for models without eyes", async () => {
    const bench = openToolBench({ cwd: folder });
    const blind = createViewImage({ acceptsImages: false, offersOriginal: false });
    expect(await bench.call(blind, { path: "a.png" })).toStrictEqual({
      output: "view_image is not allowed because you do not support image inputs",
      success: false,
    });
  });
});
