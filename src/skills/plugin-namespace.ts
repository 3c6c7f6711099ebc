// Skills of a plugin are prefixed with its name: `search` of the plugin `sample` becomes `sample:search`.

import { basename, dirname, join, sep } from "node:path";
import { readTextFile } from "./read-text.ts";

export const MANIFEST_FOLDERS: readonly string[] = [".codex-plugin", ".claude-plugin", ".cursor-plugin"];
const MAX_MANIFEST_BYTES = 256 * 1024;

export interface NamespaceScan {
  /** The folder that was walked. */
  readonly root: string;
  /** The folders below it that contain a manifest folder. */
  readonly pluginFolders: ReadonlySet<string>;
}

/** Looks up the plugin of a folder by the nearest valid manifest above it. */
export function createNamespaceLookup({ root, pluginFolders }: NamespaceScan) {
  const cached = new Map<string, Promise<string | null>>();

  const namespaceOf = (folder: string): Promise<string | null> => {
    let namespace = cached.get(folder);
    if (namespace === undefined) {
      namespace = find(folder);
      cached.set(folder, namespace);
    }
    return namespace;
  };

  const find = async (folder: string): Promise<string | null> => {
    // Inside the root the walk has found every manifest, so other folders need not be read.
    const mayHaveManifest = !folder.startsWith(`${root}${sep}`) || pluginFolders.has(folder);
    const parent = dirname(folder);
    const [own, inherited] = await Promise.all([
      mayHaveManifest ? readPluginName(folder) : null,
      parent === folder ? null : namespaceOf(parent),
    ]);
    return own ?? inherited;
  };

  return namespaceOf;
}

async function readPluginName(folder: string): Promise<string | null> {
  const manifests = await Promise.all(
    MANIFEST_FOLDERS.map((name) => readTextFile(join(folder, name, "plugin.json"), MAX_MANIFEST_BYTES)),
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
