import { describeFunctionCall, type Tool, type ToolResult } from "./tool.ts";

/** A test tool whose result is only the output for the model. */
export interface PlainTool extends Omit<Tool, "describeCall" | "run"> {
  run(...given: Parameters<Tool["run"]>): Promise<Pick<ToolResult, "output" | "success">>;
}

export function toTool(plain: PlainTool): Tool {
  return {
    ...plain,
    describeCall: describeFunctionCall,
    run: async (...given) => ({ value: { kind: "data", data: null }, ...(await plain.run(...given)) }),
  };
}
