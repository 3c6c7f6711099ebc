/** The tool `apply_patch`: edits files; its input is the patch itself. */
import { resolve } from "node:path";
import { commandOf, refuseCall, type Tool, type ToolCall, type UnwrappedCall } from "../tool.ts";
import { describePatch, type PatchPorts, runPatch } from "./run-patch.ts";
import { parseShellApplyPatch } from "./shell-patch.ts";

/**
 * The patch grammar for models with constrained output. It is narrower than what the parser accepts: no white
 * space around markers, no heredoc, no environment.
 */
export const PATCH_GRAMMAR = `start: "*** Begin Patch" LF file+ "*** End Patch" LF?
file: added | deleted | updated

added: "*** Add File: " TEXT LF ("+" TEXT? LF)+
deleted: "*** Delete File: " TEXT LF
updated: "*** Update File: " TEXT LF moved? (lines chunk* | chunk+)

moved: "*** Move to: " TEXT LF
chunk: "@@" (" " TEXT)? LF lines
lines: line+ ("*** End of File" LF)?
line: ("+" | "-" | " ") TEXT? LF

TEXT: /[^\\n]+/

%import common.LF
`;

const NAME = "apply_patch";

const SPEC = {
  type: "custom",
  name: NAME,
  description: "Edits files. The input is the patch as it is: free text, not wrapped in JSON.",
  format: { type: "grammar", syntax: "lark", definition: PATCH_GRAMMAR },
};

export function createApplyPatchTool(ports: PatchPorts): Tool {
  return {
    name: NAME,
    parallel: false,
    spec: SPEC,
    describeCall: ({ input }) => describePatch(input),
    withInput(call, input) {
      const command = commandOf(input);
      return command === null ? null : { ...call, input: command };
    },
    run: ({ callId, input }, context) => runPatch({ callId, text: input }, context, ports),
  };
}

/**
 * Unwraps a command that contains a patch; null for all other commands. It is handled as a patch from here
 * on; only the model sees it as a command.
 */
export function unwrapShellPatch(
  argv: readonly string[],
  cwd: string,
  call: ToolCall,
  ports: PatchPorts,
): UnwrappedCall | null {
  const hidden = parseShellApplyPatch(argv);
  if (hidden.kind === "none") return null;
  const folder = resolve(cwd, hidden.kind === "patch" ? (hidden.folder ?? ".") : ".");
  const tool: Tool = {
    ...createApplyPatchTool(ports),
    describeCall: ({ input }) => describePatch(input, { origin: "command", cwd: folder }),
    async run({ callId, input }, context) {
      if (hidden.kind === "refused") return refuseCall(hidden.message);
      const result = await runPatch({ callId, text: input, cwd: folder, origin: "command" }, context, ports);
      if (!result.success || typeof result.output !== "string") return result;
      return { ...result, output: `Wall time: 0.0000 seconds\nOutput:\n${result.output}` };
    },
  };
  return { tool, call: { ...call, name: NAME, input: hidden.text } };
}
