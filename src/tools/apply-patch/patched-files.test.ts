import { expect, test } from "vitest";
import { patchedFiles } from "./patched-files.ts";

test("the files of a patch are listed under every name", () => {
  const text = [
    "*** Begin Patch",
    "*** Add File: new.txt",
    "+one",
    "+two",
    "*** Delete File: /etc/gone",
    "*** Update File: sub/../old.txt",
    "*** Move to: moved.txt",
    "@@ class A",
    " kept",
    "-removed",
    "+added",
    "@@",
    "-last",
    "+final",
    "*** End Patch",
  ].join("\n");
  const update = { kind: "update", before: "kept\nremoved\nlast", after: "kept\nadded\nfinal" };
  expect(patchedFiles(text, "/w")).toEqual([
    { kind: "add", path: "/w/new.txt", text: "one\ntwo\n" },
    { kind: "delete", path: "/etc/gone" },
    { ...update, path: "/w/old.txt" },
    { ...update, path: "/w/moved.txt" },
  ]);
  expect(patchedFiles("no patch", "/w")).toBeNull();
});
