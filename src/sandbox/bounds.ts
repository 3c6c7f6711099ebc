/** What a policy asks for, in terms of this machine's files. */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { SandboxPolicy } from "../protocol/generated/types.ts";
import { findLink } from "./find-link.ts";
import { gitFolders } from "./git-folders.ts";
import { type Guard, NO_GUARD } from "./guard.ts";
import { isInside } from "./inside.ts";
import type { SandboxCommand, WrapOptions } from "./sandbox.ts";

export interface Bounds {
  readonly network: boolean;
  /** Existing folders and files that may be written, links resolved, each once. */
  readonly roots: readonly string[];
  /** Paths below the roots that stay as they are, whether they exist or not. */
  readonly kept: readonly string[];
}

export type BoundsOutcome =
  | { readonly kind: "unbounded"; readonly network: boolean }
  | { readonly kind: "bounded"; readonly bounds: Bounds }
  | { readonly kind: "refused"; readonly reason: string };

/** Names at the top of a writable folder that steer tools and agents outside of the sandbox. */
export const KEPT_NAMES = [".git", ".agents", ".codex", ".aws"] as const;

export function readBounds(
  policy: SandboxPolicy,
  command: SandboxCommand,
  { policyCwd, extraWritableRoots = [] }: WrapOptions,
  guard: Guard = NO_GUARD,
): BoundsOutcome {
  switch (policy.type) {
    case "dangerFullAccess":
      return { kind: "unbounded", network: true };
    case "externalSandbox":
      return { kind: "unbounded", network: policy.networkAccess === "enabled" };
    case "readOnly":
      return writing({ wanted: extraWritableRoots, network: policy.networkAccess === true, guard });
    case "workspaceWrite": {
      const temporary = command.env["TMPDIR"] ?? "";
      const wanted = [policyCwd, ...(policy.writableRoots ?? []), ...extraWritableRoots];
      const passing = policy.excludeSlashTmp === true ? [] : ["/tmp"];
      if (policy.excludeTmpdirEnvVar !== true && temporary !== "") passing.push(temporary);
      return writing({ wanted, passing, network: policy.networkAccess === true, guard });
    }
  }
}

interface Wishes {
  readonly wanted: readonly string[];
  /** Folders for temporary files: everybody uses them, and no project lives there. */
  readonly passing?: readonly string[];
  readonly network: boolean;
  readonly guard: Guard;
}

function writing({ wanted, passing = [], network, guard }: Wishes): BoundsOutcome {
  const places = guard.places();
  const mayBeRoot = ({ real }: Located) =>
    !places.some((place) => isInside(real, place)) || guard.isOpen(real);
  const locateAll = (paths: readonly string[]) => paths.filter(isAbsolute).flatMap(locate).filter(mayBeRoot);
  const lasting = new Set(locateAll(wanted).map(({ real }) => real));
  const found = locateAll([...wanted, ...passing]);
  const roots = [...new Set(found.map(({ real }) => real))];
  // A command could turn such a link to anywhere, and the next command would find that place writable, or the next
  // server take that place for its own.
  const turned = [
    ...found.filter(({ path, real }) => path !== real).map(({ path }) => path),
    ...guard.named,
  ].flatMap((path) => {
    const link = findLink(path, roots);
    return link === null ? [] : [`${path} leads through ${link}, a link that commands may change`];
  });
  if (turned[0] !== undefined) return { kind: "refused", reason: turned[0] };
  const kept = new Set<string>();
  for (const root of roots) {
    if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) continue;
    if (lasting.has(root)) for (const name of KEPT_NAMES) kept.add(join(root, name));
    for (const folder of gitFolders(join(root, ".git"))) {
      if (roots.some((each) => isInside(folder, each))) kept.add(folder);
    }
  }
  for (const root of roots) kept.delete(root);
  for (const place of places) if (roots.some((root) => isInside(place, root))) kept.add(place);
  // A link could be replaced, whatever is mounted on what it leads to.
  const link = [...kept].find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
  if (link !== undefined)
    return { kind: "refused", reason: `${link} is a link, which cannot be kept as it is` };
  return { kind: "bounded", bounds: { network, roots, kept: [...kept] } };
}

interface Located {
  readonly path: string;
  readonly real: string;
}

/** Nothing for a root that is not there: what does not exist cannot be opened for writing. */
function locate(path: string): Located[] {
  try {
    return [{ path, real: realpathSync.native(path) }];
  } catch {
    return [];
  }
}
