import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Credentials, keyOf, MAX_CREDENTIALS_BYTES, openCredentialsFile } from "./credentials-file.ts";

const LOGIN: Credentials = {
  serverName: "web",
  serverUrl: "http://127.0.0.1:41171/mcp",
  issuer: "http://127.0.0.1:41171",
  clientId: "registered-client",
  accessToken: "access-1",
  expiresAt: 1_794_763_136_000,
  refreshToken: "refresh-1",
  scopes: ["read"],
};

/** As Codex 0.166 writes it. */
const OF_CODEX =
  '{"web|d96bea1304f63bd5":{"server_name":"web","server_url":"http://127.0.0.1:41171/mcp","issuer":"http://127.0.0.1:41171","client_id":"registered-client","access_token":"access-1","expires_at":1794763136000,"refresh_token":"refresh-1","scopes":["read"]}}';

async function openFile(content?: string) {
  const folder = await mkdtemp(join(tmpdir(), "heddle-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, ".credentials.json");
  if (content !== undefined) await writeFile(path, content);
  let ids = 0;
  const createId = () => {
    ids += 1;
    return `id-${ids}`;
  };
  return { folder, path, file: openCredentialsFile({ path, createId }) };
}

test("a login that Codex stored is read as it was meant", async () => {
  const { file } = await openFile(OF_CODEX);
  expect(await file.load("web", LOGIN.serverUrl)).toEqual(LOGIN);
  expect(await file.load("web", "http://127.0.0.1:1/mcp")).toBeNull();
  expect(await file.load("other", LOGIN.serverUrl)).toBeNull();
});

test("a login is stored as Codex does it, for its owner alone", async () => {
  const { folder, path, file } = await openFile();
  expect(await file.load("web", LOGIN.serverUrl)).toBeNull();
  await file.save(LOGIN);
  expect(await readFile(path, "utf8")).toBe(OF_CODEX);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual([".credentials.json"]);
});

test("what others have stored stays as it is, and is no longer open to all", async () => {
  const foreign = { "executor:x": { server_name: "x", executor_owned: true, more: [1] } };
  const { path, file } = await openFile(JSON.stringify(foreign));
  await chmod(path, 0o644);
  await file.save({ ...LOGIN, issuer: null, expiresAt: null, refreshToken: null, scopes: [] });
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
    ...foreign,
    [keyOf("web", LOGIN.serverUrl)]: {
      server_name: "web",
      server_url: LOGIN.serverUrl,
      client_id: "registered-client",
      access_token: "access-1",
      expires_at: null,
      refresh_token: null,
      scopes: [],
    },
  });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a login of another machine is not used", async () => {
  const entry = { server_name: "web", server_url: LOGIN.serverUrl, client_id: "c", access_token: "a" };
  const { file } = await openFile(JSON.stringify({ a: { ...entry, executor_owned: true } }));
  expect(await file.load("web", LOGIN.serverUrl)).toBeNull();
});

test("logins that two programs store at once are both kept", async () => {
  const { path, file } = await openFile();
  const other = openCredentialsFile({ path, createId: () => "other" });
  await Promise.all([
    file.save(LOGIN),
    other.save({ ...LOGIN, serverName: "two" }),
    file.save({ ...LOGIN, serverName: "three" }),
  ]);
  expect(await file.load("web", LOGIN.serverUrl)).toEqual(LOGIN);
  expect(await file.load("two", LOGIN.serverUrl)).toEqual({ ...LOGIN, serverName: "two" });
  expect(await file.load("three", LOGIN.serverUrl)).toEqual({ ...LOGIN, serverName: "three" });
});

test.each(['{"web":{"access_token":"secret-token"', "[]"])(
  "a file that is no JSON object is left alone, and what it holds is not told",
  async (content) => {
    const { path, file } = await openFile(content);
    await expect(file.save(LOGIN)).rejects.toThrow(
      new Error(
        `failed to parse credentials file at ${path}: it is not a JSON object; repair or remove it, then log in again`,
      ),
    );
    expect(await readFile(path, "utf8")).toBe(content);
  },
);

test("a file that is far too large is not read", async () => {
  const { file } = await openFile(" ".repeat(MAX_CREDENTIALS_BYTES + 1));
  await expect(file.load("web", LOGIN.serverUrl)).rejects.toThrow(
    `larger than ${MAX_CREDENTIALS_BYTES} bytes`,
  );
});
