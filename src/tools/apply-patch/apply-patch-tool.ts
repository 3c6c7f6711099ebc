import type { Tool } from "../tool.ts";
import { PATCH_GRAMMAR } from "./grammar.ts";
import { type PatchPorts, runPatch } from "./run-patch.ts";

const NAME = "apply_patch";

/** The tool with which a model edits files; its input is the patch itself. */
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
