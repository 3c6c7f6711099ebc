import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../base/property-runs.fixture.ts";
import { isInside } from "./inside.ts";
import { type Mount, type MountRequest, planMounts } from "./mount-plan.ts";

const path = fc
  .array(fc.constantFrom("a", "b", ".git"), { minLength: 0, maxLength: 4 })
  .map((parts) => `/${parts.join("/")}`);
const paths = fc.uniqueArray(path, { maxLength: 6 });
const request = fc.record<MountRequest>({ roots: paths, readOnly: paths, masks: paths, hidden: paths });

type Kind = Mount["kind"];
const STRONGEST_FIRST = ["hidden", "mask", "readOnly", "writable"] as const;

/** The rule of the request for a path: the innermost one, and of several for one path the strictest. */
function wanted(file: string, { roots, readOnly, masks, hidden }: MountRequest): Kind | null {
  const byKind = { writable: roots, readOnly, mask: masks, hidden };
  let best: { readonly kind: Kind; readonly length: number } | null = null;
  for (const kind of STRONGEST_FIRST) {
    for (const each of byKind[kind]) {
      const length = each === "/" ? 0 : each.length;
      if (isInside(file, each) && (best === null || length > best.length)) best = { kind, length };
    }
  }
  return best?.kind ?? null;
}

/** Models the kernel: the last mount on a path or one of its parents is visible. */
function seen(file: string, mounts: readonly Mount[]): Kind | null {
  return mounts.findLast((mount) => isInside(file, mount.path))?.kind ?? null;
}

test("the most specific rule applies to every file", () => {
  fc.assert(
    fc.property(request, path, (wish, file) => {
      expect(seen(file, planMounts(wish))).toBe(wanted(file, wish));
    }),
    propertyRuns(400),
  );
});

test("no folder between a root and a mount below it can be renamed", () => {
  fc.assert(
    fc.property(request, (wish) => {
      const mounts = planMounts(wish);
      const mounted = new Set(mounts.map((mount) => mount.path));
      const loose = mounts.flatMap((mount) =>
        foldersAbove(mount.path).filter(
          (folder) => seen(folder, mounts) === "writable" && !mounted.has(folder),
        ),
      );
      expect(loose).toEqual([]);
    }),
    propertyRuns(300),
  );
});

test("mounts are ordered from outer to inner paths", () => {
  expect(
    planMounts({
      roots: ["/srv/app", "/srv"],
      readOnly: ["/srv/app/.git", "/srv/old/deep/.git"],
      masks: ["/srv/.codex"],
      hidden: ["/home/control"],
    }),
  ).toEqual([
    { kind: "writable", path: "/srv" },
    { kind: "writable", path: "/srv/app" },
    { kind: "mask", path: "/srv/.codex" },
    { kind: "hidden", path: "/home/control" },
    { kind: "readOnly", path: "/srv/app/.git" },
    { kind: "writable", path: "/srv/old" },
    { kind: "writable", path: "/srv/old/deep" },
    { kind: "readOnly", path: "/srv/old/deep/.git" },
  ]);
});

function foldersAbove(inner: string): string[] {
  const parts = inner.split("/").slice(1, -1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}
