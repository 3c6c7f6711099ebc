import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { UserInput } from "../../protocol/generated/types.ts";
import { PNG } from "../../tools/view-image/images.fixture.ts";
import { toUserContent } from "../items/user-content.ts";
import { toModelMessage } from "./user-message.ts";

const URL = `data:image/png;base64,${PNG}`;
const text = (words: string) => ({ type: "input_text", text: words });
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-input-"));
  await writeFile(join(folder, "a.png"), Buffer.from(PNG, "base64"));
  await writeFile(join(folder, "a.txt"), "hello");
  await writeFile(join(folder, "a.WAV"), "RIFF");
  await writeFile(join(folder, "a.flac"), "x");
});

afterEach(() => rm(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

async function contentOf(...input: UserInput[]): Promise<unknown> {
  const message = await toModelMessage(input);
  return message?.type === "message" ? message.content : message;
}

describe("what the user gives, for the model", () => {
  it("is its text and its images, in their order", async () => {
    const input: UserInput[] = [
      { type: "text", text: "look", text_elements: [] },
      { type: "image", url: URL },
      { type: "image", url: URL, detail: "original" },
      { type: "image", fileId: "f" },
    ];
    expect(await toModelMessage(input)).toStrictEqual({
      type: "message",
      role: "user",
      content: [
        text("look"),
        { type: "input_image", image_url: URL, detail: "high" },
        { type: "input_image", image_url: URL, detail: "original" },
        { type: "input_image", file_id: "f", detail: "high" },
      ],
    });
  });

  it("holds image files under a label that counts all images", async () => {
    const content = await contentOf({ type: "image", url: URL }, { type: "localImage", path: at("a.png") });
    expect(content).toStrictEqual([
      { type: "input_image", image_url: URL, detail: "high" },
      text(`<image name=[Image #2] path="${at("a.png")}">`),
      { type: "input_image", image_url: URL, detail: "high" },
      text("</image>"),
    ]);
    expect(toUserContent(content as Record<string, unknown>[])).toStrictEqual([
      { type: "image", url: URL, detail: "high" },
      { type: "image", url: URL, detail: "high" },
    ]);
  });

  it("says which image files are none", async () => {
    const missing = `Codex could not read the local image at \`${at("none.png")}\`: No such file or directory (os error 2)`;
    const input = ["none.png", "a.txt"].map((name) => ({ type: "localImage" as const, path: at(name) }));
    expect(await contentOf(...input)).toStrictEqual([
      text(missing),
      text(`<image name=[Image #2] path="${at("a.txt")}">`),
      text("image content omitted because it could not be processed"),
      text("</image>"),
    ]);
    expect(await contentOf({ type: "localImage", path: folder })).toStrictEqual([
      text(`Codex could not read the local image at \`${folder}\`: Is a directory (os error 21)`),
    ]);
  });

  it("holds recordings, and says which files are none", async () => {
    const audio = "data:audio/wav;base64,AAAA";
    const files = ["a.WAV", "a.flac", "none.wav"].map((name) => ({
      type: "localAudio" as const,
      path: at(name),
    }));
    expect(await contentOf({ type: "audio", url: audio }, ...files)).toStrictEqual([
      { type: "input_audio", audio_url: audio },
      text(`<audio name=[Audio #2] path="${at("a.WAV")}">`),
      { type: "input_audio", audio_url: "data:audio/wav;base64,UklGRg==" },
      text("</audio>"),
      text(
        `Codex cannot attach audio at \`${at("a.flac")}\`: unsupported audio format; use wav, mp3, m4a, webm, or ogg.`,
      ),
      text(
        `Codex could not read the local audio at \`${at("none.wav")}\`: No such file or directory (os error 2)`,
      ),
    ]);
    expect(await contentOf({ type: "audio", url: "https://x/y.wav" })).toStrictEqual([
      text("audio content omitted because it could not be processed"),
    ]);
  });

  it("does not hold skills and mentions, which are told apart", async () => {
    const input: UserInput[] = [
      { type: "skill", name: "s", path: "/s" },
      { type: "mention", name: "m", path: "app://m" },
    ];
    expect(await contentOf(...input)).toStrictEqual([]);
    expect(await toModelMessage([])).toBeNull();
  });
});
