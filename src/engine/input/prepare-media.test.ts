import { describe, expect, it } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { PNG } from "../../tools/view-image/images.fixture.ts";
import { omitUnsupported, prepareMedia } from "./prepare-media.ts";

const IMAGE = { type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "high" } as const;
const AUDIO = { type: "input_audio", audio_url: "data:audio/wav;base64,AAAA" } as const;
const text = (words: string) => ({ type: "input_text" as const, text: words });
const message: ResponseItem = { type: "message", role: "user", content: [text("a"), IMAGE, AUDIO] };
const output: ResponseItem = {
  type: "function_call_output",
  call_id: "c",
  output: [text("a"), IMAGE, AUDIO],
};

describe("an item with images and recordings", () => {
  it("stays as it is when the model can take them", () => {
    const items = [message, output, { type: "other" } as const];
    expect(
      items.map((item) => omitUnsupported(prepareMedia(item), ["text", "image", "audio"])),
    ).toStrictEqual(items);
  });

  it("says what was left out because the provider would refuse it", () => {
    const item: ResponseItem = {
      type: "custom_tool_call_output",
      call_id: "c",
      output: [
        { ...IMAGE, image_url: "https://x/y.png" },
        { type: "input_audio", audio_url: "data:audio/flac;base64,AAAA" },
      ],
    };
    expect(prepareMedia(item)).toStrictEqual({
      ...item,
      output: [
        text("image content omitted because remote image URLs are not supported"),
        text("audio content omitted because its format is not supported; use wav, mp3, m4a, webm, or ogg"),
      ],
    });
  });

  it("says what was left out because the model cannot take it", () => {
    const told = [
      text("a"),
      text("image content omitted because you do not support image input"),
      text("audio content omitted because you do not support audio input"),
    ];
    expect([message, output].map((item) => omitUnsupported(item, ["text"]))).toStrictEqual([
      { ...message, content: told },
      { ...output, output: told },
    ]);
  });
});
