// The input of a turn.

import {
  array,
  byDefault,
  choice,
  define,
  either,
  nullable,
  object,
  path,
  string,
  tagged,
  usize,
} from "./shape.ts";

export const AdditionalContextKind = define("AdditionalContextKind", choice("untrusted", "application"));
export const AdditionalContextEntry = define(
  "AdditionalContextEntry",
  object({ value: string(), kind: AdditionalContextKind, name: nullable(string()) }),
);
export const ByteRange = define("ByteRange", object({ start: usize(), end: usize() }));
export const ImageDetail = define("ImageDetail", choice("auto", "low", "high", "original"));
export const TextElement = define(
  "TextElement",
  object({ byteRange: ByteRange, placeholder: nullable(string()) }),
);
export const TurnEnvironmentParams = define(
  "TurnEnvironmentParams",
  object({ environmentId: string(), cwd: string(), runtimeWorkspaceRoots: nullable(array(string())) }),
);
export const UserInput = define(
  "UserInput",
  tagged("type", {
    text: { text: string(), text_elements: byDefault([], array(TextElement)) },
    image: either(
      "ImageReference",
      { detail: nullable(ImageDetail) },
      { url: string() },
      { fileId: string() },
    ),
    localImage: { detail: nullable(ImageDetail), path: path() },
    audio: { url: string() },
    localAudio: { path: path() },
    skill: { name: string(), path: path() },
    mention: { name: string(), path: string() },
  }),
);
