import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createNetworkFetch } from "../../base/network/network-fetch.ts";
import type { HandlerResult } from "../outcome.ts";
import { type HookService, MAX_BODY_BYTES, postToHook } from "./run-http.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

interface Seen {
  readonly method: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const seen: Seen[] = [];
const closed: string[] = [];
let server: Server;
let origin: string;

const json = (value: unknown, status = 200): Answer => {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };
};

/** The response of the service at each path, after it has received the whole request. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  "/fine": json({ systemMessage: "hi" }),
  "/created": json({ systemMessage: "made" }, 201),
  "/nothing": (response) => response.writeHead(204).end(),
  "/empty": (response) => response.end(),
  "/blank": (response) => response.end(" \n"),
  "/broken": (response) => response.writeHead(500).end("{}"),
  "/refused": json({ systemMessage: "no" }, 403),
  "/moved": (response) => response.writeHead(307, { location: "/fine" }).end(),
  "/half": (response) => response.end('{"systemMessage": "h'),
  "/page": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>hi</p>"),
  "/list": json(["hi"]),
  "/text": json("hi"),
  "/null": json(null),
  "/reset": (response) => response.socket?.resetAndDestroy(),
  "/reset-late": (response) => {
    response.writeHead(200);
    response.write('{"a":', () => response.socket?.resetAndDestroy());
  },
  "/huge": (response) => response.end(`{"a":"${"x".repeat(4 * MAX_BODY_BYTES)}"}`),
  "/largest": (response) => response.end(`{"a":"${"x".repeat(MAX_BODY_BYTES - 8)}"}`),
  "/endless": (response) => {
    const chunk = Buffer.alloc(1 << 16, " ");
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      response.once("drain", more);
    };
    more();
  },
  "/silent": () => {},
  "/dripping": (response) => {
    response.write(" ");
    const timer = setInterval(() => response.write(" "), 5);
    response.once("close", () => clearInterval(timer));
  },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? "";
    response.once("close", () => closed.push(path));
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, headers } = request;
      seen.push({ method, headers, body: Buffer.concat(chunks).toString() });
      (ANSWERS[path] ?? json({}, 404))(response, request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ENV = { TOKEN: "t0k", EMPTY: "", NEWLINE: "a\nb", SECRET: "never" };

function post(path: string, more: Partial<HookService> = {}): Promise<HandlerResult> {
  return postToHook(
    { fetch: createNetworkFetch({}), clock: systemClock, env: ENV },
    {
      url: path.startsWith("/") ? `${origin}${path}` : path,
      headers: {},
      input: '{"hook_event_name":"Stop"}',
      timeoutSeconds: 10,
      signal: new AbortController().signal,
      ...more,
    },
  );
}

const exited = (stdout: string) => ({ kind: "exited", exitCode: 0, stdout, stderr: "", isCut: false });
const failed = (message: unknown) => ({ kind: "failed", message });
const notAnObject = failed("hook answered with status 200 and a body that is not a JSON object");

describe("an HTTP hook", () => {
  test.each([
    ["/fine", exited('{"systemMessage":"hi"}')],
    ["/created", exited('{"systemMessage":"made"}')],
    ["/nothing", exited("")],
    ["/empty", exited("")],
    ["/blank", exited(" \n")],
    ["/broken", failed("hook answered with status 500")],
    ["/refused", failed("hook answered with status 403")],
    ["/unknown", failed("hook answered with status 404")],
    ["/moved", failed("hook answered with status 307; redirects are not followed: name the address itself")],
    ["/half", notAnObject],
    ["/page", notAnObject],
    ["/list", notAnObject],
    ["/text", notAnObject],
    ["/null", notAnObject],
    ["/huge", failed("hook answered with status 200 and more than 1048576 bytes")],
    ["/endless", failed("hook answered with status 200 and more than 1048576 bytes")],
    ["/reset", failed(expect.stringMatching(/^hook at http:\/\/127\.0\.0\.1:\d+ could not be reached: ./u))],
    ["/reset-late", failed(expect.stringMatching(/could not be reached: ./u))],
    ["http://127.0.0.1:1", failed("hook at http://127.0.0.1:1 could not be reached: bad port")],
    ["file:///etc/passwd", failed("hook has an address that begins with file:; use http: or https:")],
    [
      "http://user:pass@127.0.0.1/",
      failed("hook has an address with a user or a password in it; put them into its headers"),
    ],
    ["nowhere", failed("hook has an address that cannot be read")],
  ])("at %s", async (path, result) => {
    expect(await post(path)).toEqual(result);
  });

  test("may answer as much as is read", async () => {
    const result = await post("/largest");
    expect(result.kind === "exited" && result.stdout.length).toBe(MAX_BODY_BYTES);
  });

  test("receives the input, and only the variables that a header references", async () => {
    seen.length = 0;
    const headers = {
      authorization: "Bearer ${TOKEN}",
      "x-empty": "${EMPTY}",
      "x-plain": "$TOKEN {TOKEN}",
      "content-type": "text/plain",
    };
    await post("/fine", { headers });
    expect(seen).toMatchObject([
      {
        method: "POST",
        body: '{"hook_event_name":"Stop"}',
        headers: {
          "content-type": "application/json",
          authorization: "Bearer t0k",
          "x-empty": "",
          "x-plain": "$TOKEN {TOKEN}",
        },
      },
    ]);
    expect(JSON.stringify(seen)).not.toContain("never");
  });

  test.each([
    [{ a: "${MISSING}" }, "header a names the variable MISSING, which is not set"],
    [{ a: "${toString}" }, "header a names the variable toString, which is not set"],
    [{ a: "x${NEWLINE}" }, "header a has characters that no header can have"],
    [{ "a b": "x" }, "header a b has characters that no header can have"],
  ])("is sent nothing where a header cannot be built: %j", async (headers, message) => {
    seen.length = 0;
    expect(await post("/fine", { headers })).toEqual(failed(message));
    expect(seen).toEqual([]);
  });

  test.each(["/silent", "/dripping"])("has only its time: %s", async (path) => {
    expect(await post(path, { timeoutSeconds: 0.2 })).toEqual({ kind: "timedOut", seconds: 0.2 });
    await expect.poll(() => closed).toContain(path);
  });

  test.each(["/silent", "/dripping"])("is aborted when the turn is interrupted: %s", async (path) => {
    closed.length = 0;
    seen.length = 0;
    const abort = new AbortController();
    const result = post(path, { signal: abort.signal });
    await expect.poll(() => seen.length).toBe(1);
    abort.abort();
    expect(await result).toEqual({ kind: "interrupted" });
    await expect.poll(() => closed).toEqual([path]);
    expect(await post(path, { signal: abort.signal })).toEqual({ kind: "interrupted" });
    expect(seen).toHaveLength(1);
  });
});
