import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../../base/tasks.ts";
import { JsonPieces } from "../../jsonrpc/message.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { NO_BACKLOG } from "../../transport/transport.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import type { ParamsOf, RequestContext, RequestMethod, ResultOf } from "../connections/handler.ts";
import { createFileHandlers } from "./files.ts";
import { withLocalFiles } from "./local-files.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "heddle-files-"));
  const created = root;
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
  mkdirSync(join(root, "d/sub"), { recursive: true });
  writeFileSync(join(root, "a.txt"), "hi\n");
  writeFileSync(join(root, "d/sub/deep.txt"), "deep");
  symlinkSync("a.txt", join(root, "link"));
  symlinkSync("nowhere", join(root, "broken"));
});
const at = (name: string) => join(root, name);

const fileHandlers = createFileHandlers();

async function call<M extends RequestMethod & keyof typeof fileHandlers>(
  method: M,
  params: ParamsOf<M>,
): Promise<ResultOf<M>> {
  // Small files and everything else know nothing of the connection that they are called on.
  return (fileHandlers[method] as (params: ParamsOf<M>, context: RequestContext) => Promise<ResultOf<M>>)(
    params,
    {} as RequestContext,
  );
}

describe("a large file", () => {
  const LARGE = randomBytes(3_000_001);

  function readOn(connection: ClientConnection, path: string) {
    return fileHandlers["fs/readFile"]({ path }, { connection, afterResponse: () => {} });
  }

  test("is answered in pieces of the length that they say", async () => {
    writeFileSync(at("large"), LARGE);
    const answer = await readOn(
      { id: 1, backlog: NO_BACKLOG, handshake: { phase: "new" } } as unknown as ClientConnection,
      at("large"),
    );
    if (!(answer instanceof JsonPieces)) throw new Error("not in pieces");
    const text = answer.join();
    expect(text.length).toBe(answer.bytes);
    const { dataBase64 } = JSON.parse(text) as { dataBase64: string };
    expect(Buffer.from(dataBase64, "base64").equals(LARGE)).toBe(true);
  });

  test("is read when the one before it has left", async () => {
    writeFileSync(at("large"), LARGE);
    let asked = 0;
    const gate = createDeferred<void>();
    const backlog = { ...NO_BACKLOG, whenCaughtUp: () => (asked++ === 0 ? Promise.resolve() : gate.promise) };
    const connection = { id: 1, backlog, handshake: { phase: "new" } } as unknown as ClientConnection;
    let read = 0;
    const reading = [1, 2].map(async () => {
      await readOn(connection, at("large"));
      read += 1;
    });
    await expect.poll(() => [asked, read]).toEqual([2, 1]);
    gate.resolve();
    await Promise.all(reading);
  });

  test("is not read for a client that has gone", async () => {
    writeFileSync(at("large"), LARGE);
    const gone = {
      id: 1,
      backlog: NO_BACKLOG,
      handshake: { phase: "closed" },
    } as unknown as ClientConnection;
    await expect(readOn(gone, at("large"))).rejects.toThrow("the connection was closed");
  });
});

describe("reading", () => {
  test("gives the bytes of a file, and only of a file", async () => {
    expect(await call("fs/readFile", { path: at("link") })).toEqual({ dataBase64: "aGkK" });
    await expect(call("fs/readFile", { path: at("d") })).rejects.toMatchObject({
      code: -32600,
      message: `path \`${at("d")}\` is not a file`,
    });
    await expect(call("fs/readFile", { path: at("gone") })).rejects.toMatchObject({
      code: -32603,
      message: "No such file or directory (os error 2)",
    });
  });

  test("lists a folder without links that lead nowhere", async () => {
    const { entries } = await call("fs/readDirectory", { path: root });
    expect(entries.sort((a, b) => (a.fileName < b.fileName ? -1 : 1))).toEqual([
      { fileName: "a.txt", isDirectory: false, isFile: true },
      { fileName: "d", isDirectory: true, isFile: false },
      { fileName: "link", isDirectory: false, isFile: true },
    ]);
    await expect(call("fs/readDirectory", { path: at("a.txt") })).rejects.toThrow(
      "Not a directory (os error 20)",
    );
  });

  test("tells what a path is, through a link", async () => {
    expect(await call("fs/getMetadata", { path: at("link") })).toMatchObject({
      isDirectory: false,
      isFile: true,
      isSymlink: true,
      modifiedAtMs: expect.any(Number),
    });
    await expect(call("fs/getMetadata", { path: at("broken") })).rejects.toThrow("os error 2");
  });
});

describe("writing", () => {
  test("takes strict base64", async () => {
    await call("fs/writeFile", { path: at("new"), dataBase64: "AP8B" });
    expect([...readFileSync(at("new"))]).toEqual([0, 255, 1]);
    for (const [dataBase64, reason] of [
      ["***", "Invalid symbol 42, offset 0."],
      ["aGk", "Invalid padding"],
      ["=aGk", "Invalid symbol 61, offset 0."],
    ] as const) {
      await expect(call("fs/writeFile", { path: at("new"), dataBase64 })).rejects.toMatchObject({
        code: -32600,
        message: `fs/writeFile requires valid base64 dataBase64: ${reason}`,
      });
    }
  });

  test("makes folders, with those above unless told otherwise", async () => {
    await call("fs/createDirectory", { path: at("x/y/z") });
    expect(existsSync(at("x/y/z"))).toBe(true);
    await expect(call("fs/createDirectory", { path: at("q/r"), recursive: false })).rejects.toThrow(
      "os error 2",
    );
    await expect(call("fs/createDirectory", { path: at("x"), recursive: false })).rejects.toThrow(
      "File exists (os error 17)",
    );
  });

  test("removes what it is told to, and follows no link", async () => {
    await call("fs/remove", { path: at("link") });
    expect(existsSync(at("a.txt"))).toBe(true);
    await call("fs/remove", { path: at("gone") });
    await expect(call("fs/remove", { path: at("gone"), force: false })).rejects.toThrow("os error 2");
    await expect(call("fs/remove", { path: at("d"), recursive: false })).rejects.toThrow(
      "Directory not empty (os error 39)",
    );
    await call("fs/remove", { path: at("d") });
    expect(existsSync(at("d"))).toBe(false);
  });
});

describe("copying", () => {
  test("keeps links as links, and passes over what is no file", async () => {
    symlinkSync("../a.txt", at("d/up"));
    execFileSync("mkfifo", [at("d/pipe")]);
    await call("fs/copy", { sourcePath: at("d"), destinationPath: at("d2"), recursive: true });
    expect(readFileSync(at("d2/sub/deep.txt"), "utf8")).toBe("deep");
    expect(readlinkSync(at("d2/up"))).toBe("../a.txt");
    expect(existsSync(at("d2/pipe"))).toBe(false);
    await call("fs/copy", { sourcePath: at("link"), destinationPath: at("link2") });
    expect(lstatSync(at("link2")).isSymbolicLink()).toBe(true);
  });

  test("refuses what cannot end well", async () => {
    const refusal = (sourcePath: string, destinationPath: string, recursive = false) =>
      call("fs/copy", { sourcePath, destinationPath, recursive }).then(
        () => "",
        (error: Error) => error.message,
      );
    expect(await refusal(at("d"), at("e"))).toContain("requires recursive: true");
    for (const name of ["d", "d/inside", "d/no/such/folder"]) {
      expect(await refusal(at("d"), at(name), true)).toContain("itself or one of its descendants");
    }
    expect(await refusal("/dev/null", at("n"))).toContain("only supports regular files");
    expect(await refusal(at("gone"), at("n"))).toContain("os error 2");
  });
});

test("a path is worked out before anything is looked at", async () => {
  const astray = (name: string) => `${root}/gone/.././${name}`;
  await call("fs/writeFile", { path: astray("b.txt"), dataBase64: btoa("b") });
  expect(await call("fs/readFile", { path: `${at("b.txt")}/` })).toEqual({ dataBase64: btoa("b") });
  await call("fs/copy", { sourcePath: astray("b.txt"), destinationPath: astray("c.txt") });
  await call("fs/remove", { path: astray("b.txt") });
  await call("fs/createDirectory", { path: astray("e"), recursive: false });
  expect(await call("fs/getMetadata", { path: astray("c.txt") })).toMatchObject({ isFile: true });
  const { entries } = await call("fs/readDirectory", { path: astray("") });
  expect(entries.map(({ fileName }) => fileName).sort()).toEqual(["a.txt", "c.txt", "d", "e", "link"]);
});

test("nothing is done where files are for another place", async () => {
  const refused = withLocalFiles({ CODEX_EXEC_SERVER_URL: " None" }, fileHandlers);
  const params = { path: at("b.txt"), dataBase64: "" };
  await expect(refused["fs/writeFile"](params, {} as RequestContext)).rejects.toMatchObject({
    code: errorCodes.internalError,
    message: "local filesystem is not configured",
  });
  expect(existsSync(at("b.txt"))).toBe(false);
  expect(withLocalFiles({}, fileHandlers)).toBe(fileHandlers);
});
