import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command, CommandSpec, ParsedArguments } from "../command-line/command.ts";

interface SchemaBundle {
  readonly $schema: string;
  readonly definitions: Readonly<Record<string, unknown>>;
}

export const generateTs: Command = {
  ...specOf("generate-ts", "types/"),
  async run(args) {
    const text = readSchemaFile(args.flag("experimental") ? "heddle.ts" : "heddle.stable.ts");
    return deliver(args, text, new Map([["index.ts", text]]));
  },
};

export const generateJsonSchema: Command = {
  ...specOf("generate-json-schema", "schema/"),
  details: "In a folder there is one file for each message.",
  async run(args) {
    const text = readSchemaFile(
      args.flag("experimental") ? "heddle.schemas.json" : "heddle.stable.schemas.json",
    );
    const bundle = JSON.parse(text) as SchemaBundle;
    const files = Object.keys(bundle.definitions)
      .filter((name) => /(?:Params|Response|Notification|^ClientRequest|^ServerRequest)$/.test(name))
      .map((name): [string, string] => [
        `${name}.json`,
        `${JSON.stringify(schemaOf(bundle, name), null, 2)}\n`,
      ]);
    return deliver(args, text, new Map([["heddle.schemas.json", text], ...files]));
  },
};

function specOf(name: string, folder: string): CommandSpec {
  return {
    options: [
      { name: "out", short: "o", value: "DIR", help: "Write files into this folder instead of printing" },
      { name: "experimental", help: "Include experimental methods and fields" },
    ],
    examples: [
      { command: `heddle ${name}`, description: "Print what is stable" },
      {
        command: `heddle ${name} --experimental --out ${folder}`,
        description: "Write everything into a folder",
      },
    ],
  };
}

function deliver(args: ParsedArguments, text: string, files: ReadonlyMap<string, string>): number {
  const folder = args.value("out");
  if (folder === undefined) process.stdout.write(text);
  else {
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of files) writeFileSync(join(folder, name), content);
  }
  return 0;
}

/** In the built package the generated files are beside the program. */
function readSchemaFile(name: string): string {
  return readFileSync(join(dirname(fileURLToPath(import.meta.url)), "schema", name), "utf8");
}

/** A standalone schema of one message, with only the definitions that it refers to. */
function schemaOf({ $schema, definitions }: SchemaBundle, name: string): object {
  const needed = new Map<string, unknown>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      const target =
        key === "$ref" && typeof part === "string" ? part.replace(/^#\/definitions\//, "") : null;
      if (target === null) collect(part);
      else if (!needed.has(target)) {
        needed.set(target, definitions[target]);
        collect(definitions[target]);
      }
    }
  };
  collect(definitions[name]);
  const rest =
    needed.size === 0
      ? {}
      : { definitions: Object.fromEntries([...needed].sort(([a], [b]) => (a < b ? -1 : 1))) };
  return { $schema, title: name, ...(definitions[name] as object), ...rest };
}
