// Generates requests as nested functions by the parts of their names, with their summaries as doc comments.

import { type Catalog, definitionName } from "./catalog.ts";

interface Branch {
  readonly calls: string[];
  readonly branches: Map<string, Branch>;
}

const newBranch = (): Branch => ({ calls: [], branches: new Map() });

export function writeMethodTree({ requests, definitions }: Catalog): string {
  const root = newBranch();
  const used = new Set<string>();
  for (const [method, row] of requests) {
    const parts = method.split("/");
    const last = parts.pop() ?? "";
    const params = row.params === null ? "Record<string, never>" : definitionName(row.params);
    const result = definitionName(row.result);
    for (const name of row.params === null ? [result] : [params, result]) used.add(name);
    const { required = [], type } = definitions.get(params) ?? {};
    const needsNothing = type === "object" && (required as string[]).length === 0;
    const isOptional = row.params === null || row.paramsOptional === true || needsNothing;
    const marks = row.stability === "experimental" ? " @experimental" : "";
    const place = parts.reduce(descend, root);
    descend(place, last).calls.push(
      `/** ${row.summary}${marks} */`,
      `(params${isOptional ? "?" : ""}: ${params}, signal?: AbortSignal): Promise<${result}>;`,
    );
  }
  const imports = [...used].sort().map((name) => `  ${name},`);
  return [
    `import type {\n${imports.join("\n")}\n} from "./types.ts";\n`,
    "/** Every request of the protocol as a function, by the parts of its name: `client.thread.start({})`. */",
    `export interface Methods ${body(root, "")}\n`,
  ].join("\n");
}

function descend(branch: Branch, name: string): Branch {
  const known = branch.branches.get(name) ?? newBranch();
  branch.branches.set(name, known);
  return known;
}

function body({ branches }: Branch, indent: string): string {
  const inner = `${indent}  `;
  const lines = [...branches].flatMap(([name, branch]) => member(name, branch, inner));
  return `{\n${lines.map((line) => `${inner}${line}`).join("\n")}\n${indent}}`;
}

function member(name: string, branch: Branch, indent: string): string[] {
  const [comment = "", signature = ""] = branch.calls;
  if (branch.branches.size === 0) return [comment, `${name}${signature}`];
  const nested = `readonly ${name}: ${body(branch, indent)}`;
  if (branch.calls.length === 0) return [`${nested};`];
  // A function whose name is also the prefix of others.
  return [comment, nested.replace("{\n", `{\n${indent}  ${comment}\n${indent}  ${signature}\n`).concat(";")];
}
