import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readProjectDocs } from "./project-docs.ts";

function createFolders(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), "heddle-docs-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const read = (cwd: string, more: object = {}) =>
    readProjectDocs({
      home: join(root, "home"),
      cwd: join(root, cwd),
      rootMarkers: [".git"],
      fallbackNames: [],
      maxBytes: 32_768,
      ...more,
    });
  return { read, path: (name: string) => join(root, name) };
}

test("the home's file comes first, then those from the root of the project down", async () => {
  const { read, path } = createFolders({
    "home/AGENTS.md": "global\n",
    "project/.git/HEAD": "",
    "project/AGENTS.md": "root\n",
    "project/a/b/AGENTS.md": "deep",
    "AGENTS.md": "outside",
  });
  expect(await read("project/a/b")).toEqual({
    sources: [path("home/AGENTS.md"), path("project/AGENTS.md"), path("project/a/b/AGENTS.md")],
    text: "global\n\n--- project-doc ---\n\nroot\n\n\ndeep",
  });
});

test("an override goes before the file, a fallback behind it, and blank ones count for nothing", async () => {
  const { read, path } = createFolders({
    "p/.git/HEAD": "",
    "p/AGENTS.md": "plain",
    "p/AGENTS.override.md": "override",
    "p/a/CLAUDE.md": "fallback",
    "p/a/AGENTS.md": " \n",
  });
  expect(await read("p/a", { fallbackNames: ["CLAUDE.md"] })).toEqual({
    sources: [path("p/AGENTS.override.md"), path("p/a/CLAUDE.md")],
    text: "override\n\nfallback",
  });
});

test("the budget cuts the text and ends the search", async () => {
  const { read } = createFolders({ "p/.git/HEAD": "", "p/AGENTS.md": "0123456789", "p/a/AGENTS.md": "more" });
  expect((await read("p/a", { maxBytes: 4 })).text).toBe("0123");
  expect(await read("p/a", { maxBytes: 0 })).toEqual({ sources: [], text: null });
  expect((await read("p/a", { maxBytes: Number.MAX_SAFE_INTEGER })).text).toBe("0123456789\n\nmore");
});

test("the budget cuts no character in two", async () => {
  const { read, path } = createFolders({ "p/.git/HEAD": "", "p/AGENTS.md": "a€€", "p/a/AGENTS.md": "more" });
  expect(await read("p/a", { maxBytes: 6 })).toEqual({ sources: [path("p/AGENTS.md")], text: "a€" });
});

test("what is not written in UTF-8 is told as far as it can be read", async () => {
  const { read, path } = createFolders({ "p/.git/HEAD": "" });
  writeFileSync(path("p/AGENTS.md"), Buffer.from("caf\xe9 first", "latin1"));
  expect((await read("p")).text).toBe("caf\ufffd first");
});

test("without a marked root only the working folder counts, and a folder by that name does not", async () => {
  const { read, path } = createFolders({
    "AGENTS.md": "above",
    "x/AGENTS.md": "here",
    "y/AGENTS.md/file": "no",
  });
  expect(await read("x")).toEqual({ sources: [path("x/AGENTS.md")], text: "here" });
  expect(await read("y")).toEqual({ sources: [], text: null });
});
