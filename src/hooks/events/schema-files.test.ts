import { readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { hookSchemaFiles } from "./schema-files.ts";

const files = hookSchemaFiles();
const root = new URL("../../../", import.meta.url);

describe("the schemas of hooks", () => {
  it.each([...files.keys()])("%s is what npm run generate writes", (path) => {
    expect(readFileSync(new URL(path, root), "utf8")).toBe(files.get(path));
  });

  it("are the only files in their folder", () => {
    const names = readdirSync(new URL("schema/hooks", root)).map((name) => `schema/hooks/${name}`);
    expect(names.sort()).toStrictEqual([...files.keys()].sort());
  });

  const validatorOf = (name: string) =>
    new Ajv({ allowUnionTypes: true }).compile(
      JSON.parse(files.get(`schema/hooks/${name}.schema.json`) ?? "") as object,
    );

  it("distinguish null from absent", () => {
    const isInput = validatorOf("stop.input");
    const input = {
      session_id: "s",
      transcript_path: null,
      cwd: "/",
      hook_event_name: "Stop",
      model: "m",
      turn_id: "t",
      permission_mode: "default",
      stop_hook_active: false,
      stop_hook_continuations: 0,
      last_assistant_message: null,
    };
    expect(isInput(input)).toBe(true);
    expect(isInput({ ...input, more: 1 })).toBe(true);
    const { last_assistant_message: _, ...without } = input;
    expect(isInput(without)).toBe(false);
    expect(isInput({ ...input, model: null })).toBe(false);
  });

  it("reject every answer that would be refused for its shape", () => {
    const isOutput = validatorOf("pre-tool-use.output");
    const answer = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } };
    expect(isOutput(answer)).toBe(true);
    expect(isOutput({ ...answer, foo: 1 })).toBe(false);
    expect(isOutput({ hookSpecificOutput: { permissionDecision: "deny" } })).toBe(false);
    expect(isOutput({ continue: null })).toBe(false);
  });
});
