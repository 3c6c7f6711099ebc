/** The tool `view_image`: reads an image file. */
import { resolve } from "node:path";
import { readRegularFile } from "../../base/read-regular-file.ts";
import { decodeArguments, maybe, struct, text } from "../arguments/decode-arguments.ts";
import {
  describeFunctionCall,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from "../tool.ts";
import { MAX_IMAGE_BYTES, prepareImageBytes } from "./prepare-image.ts";

const NAME = "view_image";

export interface ViewImageOptions {
  /** Whether the model accepts images. */
  readonly acceptsImages: boolean;
  /** Whether the full resolution can be requested; models of the catalog support it. */
  readonly offersOriginal: boolean;
}

export function createViewImage(options: ViewImageOptions): Tool {
  return {
    name: NAME,
    spec: describeTool(options),
    parallel: true,
    describeCall: describeFunctionCall,
    run: (call, context) => viewImage(call, context, options),
  };
}

const ARGUMENTS = struct("ViewImageArgs", { path: text, detail: maybe(text) });

async function viewImage(
  { callId, input }: ToolCall,
  { cwd, items }: ToolContext,
  { acceptsImages, offersOriginal }: ViewImageOptions,
): Promise<ToolResult> {
  if (!acceptsImages) return refuseCall(`${NAME} is not allowed because you do not support image inputs`);
  const decoded = decodeArguments(input, ARGUMENTS);
  if (decoded.kind === "wrong") return refuseCall(decoded.message);
  const { detail } = decoded.value;
  if (detail !== null && detail !== "high" && detail !== "original") {
    return refuseCall(
      `${NAME}.detail only supports \`high\` or \`original\`; omit \`detail\` for default high resized behavior, got \`${detail}\``,
    );
  }
  const path = resolve(cwd, decoded.value.path);
  const file = await readImage(path);
  if (file.kind === "unreadable") return refuseCall(file.message);
  const image = prepareImageBytes(file.bytes, "high");
  if (image.kind === "omitted")
    return refuseCall("unable to process image: invalid or unsupported image data");
  items.begin({ type: "imageView", id: callId, path });
  items.complete({ type: "imageView", id: callId, path });
  const shown = offersOriginal && detail === "original" ? "original" : "high";
  return {
    output: [{ type: "input_image", image_url: image.url, detail: shown }],
    success: true,
    value: { kind: "data", data: { path, detail: shown } },
  };
}

type ImageFile =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "unreadable"; readonly message: string };

async function readImage(path: string): Promise<ImageFile> {
  const unreadable = (message: string): ImageFile => ({ kind: "unreadable", message });
  const read = await readRegularFile(path, { maxBytes: MAX_IMAGE_BYTES });
  if (read.kind === "read") return { kind: "bytes", bytes: read.bytes };
  switch (read.reason) {
    case "notRegular":
      return unreadable(`image path \`${path}\` is not a file`);
    case "tooLarge":
      return unreadable("unable to process image: it is larger than the supported size limit");
    case "missing":
      return unreadable(`unable to locate image at \`${path}\`: ${read.message}`);
    default:
      return unreadable(`unable to read image at \`${path}\`: ${read.message}`);
  }
}

const DETAIL = {
  type: "string",
  description: "Defaults to `high`; `original` keeps every pixel.",
  enum: ["high", "original"],
};

function describeTool({ offersOriginal }: ViewImageOptions) {
  return {
    type: "function",
    name: NAME,
    description: "Shows you an image file that is on the disk, when you have to see it.",
    strict: false,
    parameters: {
      type: "object",
      properties: {
        ...(offersOriginal ? { detail: DETAIL } : {}),
        path: { type: "string", description: "The path of the image file." },
      },
      required: ["path"],
      additionalProperties: false,
    },
  };
}
