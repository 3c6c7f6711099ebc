import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLoopbackProxy } from "../../src/base/network/fixtures/loopback-proxy.ts";
import { Child } from "../support/child.ts";
import { testWith } from "../support/needs-program.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";
import { withoutSqlite } from "../support/without-sqlite.ts";

interface Finding {
  readonly subject: string;
  readonly verdict: string;
  readonly says: string;
  readonly advice?: string;
}

async function examine(
  config: string,
  env: Readonly<Record<string, string>> = {},
  words: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
) {
  const home = await createTempHome({ config });
  for (const [path, text] of Object.entries(files)) await home.write(path, text);
  onTestFinished(() => home.remove());
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "doctor", "--json", ...words],
    cwd: home.workspace,
    env: serverEnvironment(home, env),
  });
  const { code } = await child.exit;
  const findings = JSON.parse(child.stdout) as Finding[];
  return { code, about: (subject: string) => findings.filter((finding) => finding.subject === subject) };
}

const provider = (url: string, more = "") => `model_provider = "here"
[model_providers.here]
name = "Here"
base_url = "${url}"
${more}`;

const answeringWith = (status: number) => serving((_, response) => response.writeHead(status).end());

/** A provider that refuses all other requests. */
const answeringTo = (isGood: (request: IncomingMessage) => boolean) =>
  serving((request, response) => response.writeHead(isGood(request) ? 200 : 401).end());

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** The address of a listener that was closed. */
async function answeringNoMore(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

describe("heddle doctor", () => {
  test("finds nothing wrong with a new home and says which model answers", async () => {
    const { code, about } = await examine("");
    expect(code).toBe(0);
    expect(
      [...about("home"), ...about("configuration"), ...about("database")].map(({ verdict }) => verdict),
    ).toEqual(["ok", "ok", "ok"]);
    expect(about("model provider")).toMatchObject([
      { verdict: "advice", says: expect.stringContaining("demo model") },
    ]);
  });

  test("names the file and the place of a broken configuration", async () => {
    const { code, about } = await examine("model = [");
    expect(code).toBe(1);
    expect(about("configuration")).toMatchObject([
      { verdict: "problem", says: expect.stringMatching(/config\.toml:\d+:\d+/) },
    ]);
  });

  test("mentions keys that it does not know", async () => {
    const { code, about } = await examine("foo = 1");
    expect(code).toBe(0);
    expect(about("configuration")).toMatchObject([
      { verdict: "advice", says: expect.stringMatching(/^Heddle is ignoring 1 .*foo/su) },
    ]);
  });

  test("a provider without a list of models is a note with the likely cause", async () => {
    const answers = async (url: string, words: readonly string[] = []) => {
      const { code, about } = await examine(provider(url), {}, words);
      return { code, finding: about("model provider")[0] };
    };
    const url = await answeringWith(404);
    const versioned = await answers(url);
    expect(versioned).toMatchObject({ code: 0, finding: { verdict: "advice" } });
    expect(versioned.finding?.says).toBe(`Here at ${url} answers, but not to GET ${url}/models (404)`);
    expect(versioned.finding?.advice).toMatch(/unless this provider has no list.*doctor --online/u);
    const root = await answers(url.replace(/\/v1$/u, ""));
    expect(root.finding?.advice).toMatch(/^The path of base_url is most likely wrong: .* ends in \/v1\./u);
    const online = await answers(url, ["--online"]);
    expect(online.finding?.says).toMatch(/was asked: .* It failed: unexpected status 404/u);
  });

  test.each([
    [{ OPENAI_API_KEY: "sk-secret" }, /auth\.json has an API key of OpenAI.*OPENAI_API_KEY="\$\(jq/u],
    [{ OPENAI_API_KEY: null, tokens: { id_token: "x" } }, /auth\.json has a login of ChatGPT/u],
  ])("a login of Codex is named, and not shown", async (login, says) => {
    for (const config of ["", 'model_provider = "openai"']) {
      const { about } = await examine(config, {}, [], { "home/auth.json": JSON.stringify(login) });
      const [finding] = about("model provider");
      expect(finding?.advice).toMatch(says);
      expect(JSON.stringify(finding)).not.toContain("sk-secret");
    }
  });

  test("tries the provider", async () => {
    const good = await examine(provider(await answeringWith(200)));
    expect(good.about("model provider")).toMatchObject([{ verdict: "ok" }]);
    const refused = await examine(provider(await answeringWith(401)));
    expect(refused.about("model provider")).toMatchObject([
      { verdict: "problem", says: "Here refuses the key (401)" },
    ]);
    const gone = await examine(provider(await answeringNoMore()));
    expect(gone.about("model provider")).toMatchObject([
      { verdict: "problem", says: expect.stringContaining("does not answer: connect ECONNREFUSED") },
    ]);
  });

  test("tries it through the proxy that turns go through, and names that without its password", async () => {
    const proxy = await openLoopbackProxy({ login: "me:secret" });
    onTestFinished(() => proxy.close());
    const url = await answeringWith(200);
    const good = await examine(provider(url), { http_proxy: `http://me:secret@127.0.0.1:${proxy.port}` });
    expect(good.about("model provider")).toMatchObject([{ verdict: "ok" }]);
    expect(proxy.seen).toEqual([`GET ${url}/models`]);
    const refused = await examine(provider(url), { http_proxy: `http://me:wrong@127.0.0.1:${proxy.port}` });
    const says = `does not answer: the proxy http://127.0.0.1:${proxy.port} refused the request: 407`;
    expect(refused.about("model provider")).toMatchObject([
      { verdict: "problem", says: expect.stringContaining(says) },
    ]);
  });

  test("logs in to the provider as turns do", async () => {
    const url = await answeringTo(
      ({ headers, url: path }) => headers["api-key"] === "k" && path === "/v1/models?version=1",
    );
    const login = 'env_http_headers = { "api-key" = "HERE_KEY" }\nquery_params = { version = "1" }';
    const { code, about } = await examine(provider(url, login), { HERE_KEY: "k" });
    expect(about("model provider")).toEqual([
      {
        subject: "model provider",
        verdict: "ok",
        says: `Here at ${url}`,
        advice: "Whether the model answers: heddle doctor --online.",
      },
    ]);
    expect(code).toBe(0);
  });

  test("asks the program that prints the token, and passes on what it says", async () => {
    const url = await answeringTo(({ headers }) => headers.authorization === "Bearer printed");
    const auth = (script: string) => `auth = { command = "sh", args = ["-c", "${script}"] }`;
    const good = await examine(provider(url, auth("echo printed")));
    expect(good.about("model provider")).toMatchObject([{ verdict: "ok" }]);
    const bad = await examine(provider(url, auth("echo log in first >&2; exit 2")));
    expect(bad.about("model provider")).toMatchObject([
      { verdict: "problem", says: expect.stringContaining("ended with exit code 2: log in first") },
    ]);
  });

  test("says which variable is missing", async () => {
    const { code, about } = await examine(provider("http://127.0.0.1:1/v1", 'env_key = "HERE_KEY"'));
    expect(code).toBe(1);
    expect(about("model provider")).toMatchObject([{ says: expect.stringContaining("HERE_KEY") }]);
  });

  test("says so where commands cannot be confined", async () => {
    const { about } = await examine("", { PATH: "/nowhere" });
    expect(about("sandbox")).toMatchObject([
      { verdict: "advice", advice: expect.stringContaining("apt-get install bubblewrap") },
    ]);
  });

  testWith("bwrap", "finds a sandbox that works", async () => {
    const { about } = await examine("");
    expect(about("sandbox")).toMatchObject([
      { verdict: "ok", says: expect.stringMatching(/^bubblewrap \d/) },
    ]);
  });
});

test("a profile that does not exist is a problem", async () => {
  const { code, about } = await examine("", {}, ["--profile", "gone"]);
  expect(code).toBe(1);
  expect(about("configuration")).toMatchObject([
    {
      verdict: "problem",
      says: expect.stringMatching(
        /^profile `gone` does not exist: there is no .*gone.config.toml; there are none yet$/u,
      ),
    },
  ]);
});

test("a provider on the command line that does not exist is a fault of the configuration", async () => {
  const { code, about } = await examine("", {}, ["-c", "model_provider=nope"]);
  expect(code).toBe(1);
  expect(about("home")).toEqual([]);
  expect(about("configuration")).toMatchObject([
    { verdict: "problem", says: "Model provider `nope` not found" },
  ]);
});

test("a machine that has nothing to speak to SQLite with is told of", async () => {
  const { code, about } = await examine("", withoutSqlite());
  expect(code).toBe(1);
  expect(about("database")).toMatchObject([
    { verdict: "problem", says: expect.stringContaining("npm rebuild better-sqlite3") },
  ]);
  // The finding is not repeated.
  expect(about("history")).toEqual([]);
});

describe("heddle doctor --online", () => {
  const COMPLETED = { type: "response.completed", response: { id: "r", usage: null } };
  const TEXT = { type: "response.output_text.delta", item_id: "m", delta: "ok" };
  const stream = (response: ServerResponse, ...events: readonly { readonly type: string }[]) =>
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  const failure = (response: ServerResponse, status: number, message: string, code?: string) =>
    response.writeHead(status).end(JSON.stringify({ error: { message, code } }));

  interface Case {
    readonly name: string;
    readonly more?: string;
    readonly answer: (response: ServerResponse) => void;
    readonly says: RegExp;
    readonly advice: RegExp;
  }

  test.each<Case>([
    {
      name: "answers",
      answer: (response) => stream(response, TEXT, COMPLETED),
      says: /It answered in \d+ ms$/u,
      advice: /^$/u,
    },
    {
      name: "has no such path",
      answer: (response) => void response.writeHead(404).end("<html>"),
      says: /It failed: unexpected status 404/u,
      advice:
        /here\]: wire_api = "chat" for .*, or wire_api = "messages" for .*; otherwise look at the path/u,
    },
    {
      name: "has no such path for chat",
      more: 'wire_api = "chat"',
      answer: (response) => void response.writeHead(404).end(),
      says: /404/u,
      advice: /wire_api = "responses"/u,
    },
    {
      name: "does not know the model",
      answer: (response) => failure(response, 404, "no such thing", "model_not_found"),
      says: /no such thing/u,
      advice: /^Set model to one that it has/u,
    },
    {
      name: "does not know the model and has no code for that",
      answer: (response) => failure(response, 404, 'model "tiny" not found, try pulling it first'),
      says: /try pulling/u,
      advice: /^Set model to one that it has/u,
    },
    {
      name: "is a web server",
      answer: (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
      says: /stream disconnected/u,
      advice: /What answers is no model: look at the path/u,
    },
    {
      name: "refuses the key",
      answer: (response) => failure(response, 403, "no"),
      says: /403/u,
      advice: /Check that the key/u,
    },
  ])("a provider that $name", async ({ more = "", answer, says, advice }) => {
    const asked: string[] = [];
    const url = await serving((request, response) => {
      if (request.method === "GET") return void response.writeHead(200).end("{}");
      asked.push(request.url ?? "");
      answer(response);
    });
    const { about } = await examine(`model = "tiny"\n${provider(url, more)}`, {}, ["--online"]);
    const [finding] = about("model provider");
    expect(finding?.says).toMatch(/^tiny at Here was asked: "Reply with the word ok\."/u);
    expect(finding?.says).toMatch(says);
    expect(finding?.advice ?? "").toMatch(advice);
    expect(asked).toHaveLength(1);
  });

  test("sends nothing without it", async () => {
    const methods: (string | undefined)[] = [];
    const url = await serving(({ method }, response) => {
      methods.push(method);
      response.writeHead(200).end();
    });
    await examine(provider(url));
    expect(methods).toEqual(["GET"]);
  });
});
