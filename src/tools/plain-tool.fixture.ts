import { describeFunctionCall, type Tool, type ToolResult } from "./tool.ts";

/** A tool of a test, whose result is no more than what the model is told. */
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
