/** The tool `apply_patch`, for models that write free text and for those that can only fill in JSON. */
import type { Tool } from "../tool.ts";
import { PATCH_GRAMMAR } from "./grammar.ts";
import { type PatchPorts, runPatch } from "./run-patch.ts";

const NAME = "apply_patch";

/** For models with custom tools: the input is the patch itself. */
export function createApplyPatchTool(ports: PatchPorts): Tool {
  return {
    name: NAME,
    parallel: false,
    spec: {
      type: "custom",
      name: NAME,
      description: "Edits files. The input is the patch as it is: free text, not wrapped in JSON.",
      format: { type: "grammar", syntax: "lark", definition: PATCH_GRAMMAR },
    },
    run: ({ callId, input }, context) => runPatch({ callId, text: input }, context, ports),
  };
}

const DESCRIPTION = `Edits files with a patch of this form:

*** Begin Patch
*** Add File: path/of/new.txt
+every line of the new file, with a plus before it
*** Delete File: path/of/old.txt
*** Update File: path/of/file.txt
*** Move to: path/of/renamed.txt
@@ a line above the change, such as the head of the function
 an unchanged line
-a line that goes
+a line that comes
*** End Patch

One section for each file, in any order. "Move to" is optional, and so is the text after "@@". Show about three unchanged lines before and after each change, exactly as they are in the file, and use another "@@" line for each further change. "*** End of File" after the last line of a change says that it is at the end of the file. Paths are relative to the working directory.`;

/** For models without custom tools: the patch is a string in JSON. */
export function createApplyPatchFunction(ports: PatchPorts): Tool {
  return {
    name: NAME,
    parallel: false,
    spec: {
      type: "function",
      name: NAME,
      description: DESCRIPTION,
      strict: false,
      parameters: {
        type: "object",
        properties: { input: { type: "string", description: "The whole patch." } },
        required: ["input"],
        additionalProperties: false,
      },
    },
    async run({ callId, input }, context) {
      const text = readInput(input);
      if (text.kind === "invalid") return { output: text.message, success: false };
      return runPatch({ callId, text: text.text }, context, ports);
    },
  };
}

type Input =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "invalid"; readonly message: string };

function readInput(json: string): Input {
  const invalid = (reason: string): Input => ({
    kind: "invalid",
    message: `failed to parse function arguments: ${reason}`,
  });
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null || !("input" in value))
      return invalid("missing field `input`");
    return typeof value.input === "string"
      ? { kind: "text", text: value.input }
      : invalid("`input` is not a string");
  } catch (error) {
    return invalid(error instanceof Error ? error.message : String(error));
  }
}
