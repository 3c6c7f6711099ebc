import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ownMethods, peerMethods } from "../peer-methods.ts";
import { resources } from "../rows/resources.ts";
import { createCatalog, definitionName, type JsonSchema } from "./catalog.ts";
import { generate } from "./generate.ts";
import { stableCatalog } from "./stable.ts";

const files = generate();
const catalog = createCatalog(resources);
const stable = stableCatalog(catalog);

const root = new URL("../../../", import.meta.url);

describe("generated files", () => {
  it.each([...files.keys()])("%s is what npm run generate writes", (path) => {
    expect(readFileSync(new URL(path, root), "utf8")).toBe(files.get(path));
  });

  it("are the same every time", () => {
    expect(generate()).toEqual(files);
  });
});

/** Every value of the keyword in the definitions. */
function keywordValues(keyword: string, definitions: ReadonlyMap<string, JsonSchema>): unknown[] {
  const found: unknown[] = [];
  JSON.stringify(Object.fromEntries(definitions), (key, value: unknown) => {
    if (key === keyword) found.push(value);
    return value;
  });
  return found;
}

describe("the catalog", () => {
  it("has the key by which a request counts once among its params", () => {
    const keyed = [...catalog.requests.values()].flatMap(({ idempotent, params }) =>
      typeof idempotent === "object" && params !== null
        ? [[definitionName(params), idempotent.key] as const]
        : [],
    );
    expect(keyed.length).toBeGreaterThan(0);
    for (const [name, key] of keyed)
      expect(catalog.definitions.get(name)?.["properties"]).toHaveProperty(key);
  });

  it("has pieces only of items that they name", () => {
    const pieces = [...catalog.notifications.values()].filter(
      ({ isPiece, isRepeatedLater }) => isPiece ?? isRepeatedLater,
    );
    expect(pieces.length).toBeGreaterThan(0);
    for (const { params, isPiece } of pieces) {
      expect(isPiece).toBe(true);
      expect(catalog.definitions.get(definitionName(params))?.["required"]).toContain("itemId");
    }
  });

  it("has no method that the peer does not know, but for those that are named", () => {
    const own = [...catalog.requests.keys()].filter((method) => !peerMethods.includes(method));
    expect(own).toEqual(ownMethods);
  });

  it("refers only to definitions that exist", () => {
    const names = new Set(keywordValues("$ref", catalog.definitions));
    expect([...names].filter((name) => !catalog.definitions.has(String(name)))).toEqual([]);
  });

  it("requires null in what the server sends and not in what a client sends", () => {
    const required = (name: string) => catalog.definitions.get(name)?.["required"];
    expect(required("ThreadLoadedListResponse")).toEqual(["data", "nextCursor"]);
    expect(required("ThreadLoadedListParams")).toBe(undefined);
  });
});

describe("the published schemas", () => {
  const bundle = (file: string) =>
    JSON.parse(files.get(file) ?? "{}") as {
      definitions: Record<
        string,
        {
          description?: string;
          required?: string[];
          properties?: Record<string, { default?: unknown; description?: string }>;
          oneOf?: { properties: { method: { enum: string[] } } }[];
        }
      >;
    };
  const { definitions } = bundle("schema/heddle.schemas.json");
  const methodsOf = (name: string, from = definitions) =>
    from[name]?.oneOf?.flatMap(({ properties }) => properties.method.enum);

  it("have the messages of each direction as one definition", () => {
    expect(methodsOf("ClientRequest")).toEqual([...catalog.requests.keys()]);
    expect(methodsOf("ServerRequest")).toEqual([...catalog.serverRequests.keys()]);
    expect(methodsOf("ServerNotification")).toEqual([...catalog.notifications.keys()]);
    const { definitions: least } = bundle("schema/heddle.stable.schemas.json");
    expect(methodsOf("ClientRequest", least)).toEqual([...stable.requests.keys()]);
    const named = new Set(JSON.stringify(least).match(/(?<=#\/definitions\/)\w+/gu));
    expect([...named].filter((name) => !(name in least))).toEqual([]);
  });

  it("say what params are for, and what is meant where something is left out", () => {
    expect(definitions["TurnStartParams"]?.description).toMatch(/^Params of `turn\/start`: /u);
    const { cwd, input } = definitions["TurnStartParams"]?.properties ?? {};
    expect([cwd?.default, cwd?.description, input?.default]).toEqual([
      null,
      "The folder to work in, from this turn on.",
      undefined,
    ]);
    expect(JSON.stringify(definitions["SandboxPolicy"])).toContain(
      '"writableRoots":{"type":"array","default":[]',
    );
  });

  it("require of approvals of the first generation only what is always sent", () => {
    expect(definitions["ExecCommandApprovalParams"]?.required).toEqual([
      "conversationId",
      "callId",
      "command",
      "cwd",
      "parsedCmd",
    ]);
    expect(definitions["ApplyPatchApprovalParams"]?.required).toEqual([
      "conversationId",
      "callId",
      "fileChanges",
    ]);
  });
});

describe("the stable catalog", () => {
  it("has nothing experimental", () => {
    expect(keywordValues("x-experimental", stable.definitions)).toEqual([]);
    const rows = [
      ...stable.requests.values(),
      ...stable.serverRequests.values(),
      ...stable.notifications.values(),
    ];
    expect(rows.filter((row) => row.stability !== "stable")).toEqual([]);
  });

  it("refers only to definitions that it still has", () => {
    const names = new Set(keywordValues("$ref", stable.definitions));
    expect([...names].filter((name) => !stable.definitions.has(String(name)))).toEqual([]);
  });

  it("drops experimental members and variants", () => {
    expect(stable.definitions.get("AskForApproval")).toEqual({
      "x-variants": ["untrusted", "on-request", "never"],
      anyOf: [{ type: "string", enum: ["untrusted", "on-request", "never"] }],
    });
    expect(stable.definitions.has("QueuedTurn")).toBe(false);
  });
});
