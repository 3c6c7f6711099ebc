/** The file facet: operations on the paths of rollout files. */
import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { FileFacet } from "../../file-facet.ts";
import { storeRefusal } from "../../refusal.ts";
import { foundAt, type Indexer } from "../index/indexer.ts";
import { plainPath } from "../rollout/rollout-name.ts";
import type { ThreadWriter } from "./thread-writer.ts";

export interface FacetParts {
  readonly indexer: Pick<Indexer, "adopt">;
  readonly writer: Pick<ThreadWriter, "create">;
}

export function createFileFacet(home: string, { indexer, writer }: FacetParts): FileFacet {
  return {
    createLegacy: (origin) => writer.create(origin, "legacy"),
    resolve: (path) => resolve(home, path),
    async locate(path) {
      const status = await stat(path).catch(() => null);
      const found = foundAt(home, path);
      if (found === null || status === null) return storeRefusal("missing", pathFault(path, status));
      return { kind: "found", threadId: found.name.threadId };
    },
    adopt: (path) => indexer.adopt(path),
    isSameFile: async (one, other) => (await resolvePlain(one)) === (await resolvePlain(other)),
  };
}

function pathFault(path: string, status: Stats | null): string {
  if (status?.isFile() === true) return `no rollout found at ${path}`;
  const fault = status === null ? "file does not exist" : "path is a directory";
  return `failed to resolve rollout path \`${path}\`: ${fault}`;
}

async function resolvePlain(path: string): Promise<string> {
  return plainPath(await realpath(path).catch(() => path));
}
