// Skills inside a plugin carry its name: `search` of the plugin `sample` is called `sample:search`.

import { basename, dirname, join, sep } from "node:path";
import { readText } from "./read-text.ts";

export const MANIFEST_FOLDERS: readonly string[] = [".codex-plugin", ".claude-plugin", ".cursor-plugin"];
const MAX_MANIFEST_BYTES = 256 * 1024;

export interface NamespaceScan {
  /** The folder that was walked. */
  readonly root: string;
  /** The folders below it in which the walk saw a manifest's folder. */
  readonly pluginFolders: ReadonlySet<string>;
}

/** A look-up of the plugin that owns a folder, by the nearest valid manifest above it. */
export function createNamespaceLookup({ root, pluginFolders }: NamespaceScan) {
  const known = new Map<string, Promise<string | null>>();

  const namespaceOf = (folder: string): Promise<string | null> => {
    let namespace = known.get(folder);
    if (namespace === undefined) {
      namespace = find(folder);
      known.set(folder, namespace);
    }
    return namespace;
  };

  const find = async (folder: string): Promise<string | null> => {
    // Inside the root the walk has seen every manifest there is, so nothing needs to be asked for.
    const mayHaveOne = !folder.startsWith(`${root}${sep}`) || pluginFolders.has(folder);
    const parent = dirname(folder);
    const [own, inherited] = await Promise.all([
      mayHaveOne ? readPluginName(folder) : null,
      parent === folder ? null : namespaceOf(parent),
    ]);
    return own ?? inherited;
  };

  return namespaceOf;
}

async function readPluginName(folder: string): Promise<string | null> {
  const manifests = await Promise.all(
    MANIFEST_FOLDERS.map((name) => readText(join(folder, name, "plugin.json"), MAX_MANIFEST_BYTES)),
  );
  const first = manifests.find((manifest) => manifest.ok);
  return first === undefined ? null : parseName(first.text, folder);
}

function parseName(text: string, folder: string): string | null {
  try {
    const manifest: unknown = JSON.parse(text);
    if (typeof manifest !== "object" || manifest === null || Array.isArray(manifest)) return null;
    const name = "name" in manifest ? manifest.name : "";
    if (typeof name !== "string") return null;
    return name.trim() === "" ? basename(folder) : name;
  } catch {
    return null;
  }
}
