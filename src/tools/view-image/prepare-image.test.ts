import { describe, expect, it } from "vitest";
import { BMP, GIF, JPEG, PNG, WEBP } from "./images.fixture.ts";
import { prepareImage } from "./prepare-image.ts";

const omitted = (reason: string) => ({
  kind: "omitted",
  text: `image content omitted because ${reason}`,
});
const UNREADABLE = omitted("it could not be processed");

describe("an image for the model", () => {
  it.each([
    ["image/png", PNG],
    ["image/gif", GIF],
    ["image/webp", WEBP],
    ["image/jpeg", JPEG],
  ])("is sent as %s, whatever type the client declared", (mime, base64) => {
    const url = `data:${mime};base64,${base64}`;
    expect(prepareImage(`DATA:application/octet-stream;base64,${base64}`, "high")).toStrictEqual({
      kind: "image",
      url,
    });
  });

  it.each([
    ["another format", `data:image/bmp;base64,${BMP}`, UNREADABLE],
    ["half of a file", `data:image/png;base64,${PNG.slice(0, 40)}`, UNREADABLE],
    ["no image", "data:image/png;base64,xxxx", UNREADABLE],
    ["no base64", "data:image/png,abc", UNREADABLE],
    ["broken base64", "data:image/png;base64,%%%%", UNREADABLE],
    ["an address of the web", "https://example.com/a.png", omitted("remote image URLs are not supported")],
  ])("is omitted when it is %s", (_, url, expected) => {
    expect(prepareImage(url, "high")).toStrictEqual(expected);
  });

  it("is omitted with low detail", () => {
    expect(prepareImage(`data:image/png;base64,${PNG}`, "low")).toStrictEqual(
      omitted("detail 'low' is not supported; use 'high', 'original', or 'auto'"),
    );
  });

  it("is unchanged where only the provider knows the address", () => {
    expect(prepareImage("sediment://file_1", null)).toStrictEqual({
      kind: "image",
      url: "sediment://file_1",
    });
  });
});
