/**
 * An MCP server on stdio for scenarios about logins. Asked for it, it opens another one over HTTP that wants a login,
 * and it plays the user's browser.
 */
export const OAUTH_PROGRAM = `
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const none = { type: "object", properties: {} };
const tool = (name) => ({ name, description: name, inputSchema: none, annotations: { readOnlyHint: true } });
const text = (value, more) => ({ content: [{ type: "text", text: value }], ...more });
const introduce = (name, { protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: "1.0.0" } });

const grants = new Map();
const access = new Set();
const refresh = new Set();
let origin = "";
let count = 0;
/** Where the other server says how to log in: at the root of its origin, or for its own path, behind a gateway. */
let place = "root";
const asked = new Set();
const endpoints = () => ({ authorization_endpoint: origin + "/authorize", token_endpoint: origin + "/token" });

function issue() {
  count += 1;
  access.add("access-" + count);
  refresh.add("refresh-" + count);
  return [200, { access_token: "access-" + count, refresh_token: "refresh-" + count, token_type: "Bearer", expires_in: 3600 }];
}

const pages = {
  "/.well-known/oauth-protected-resource/mcp": () => [200, { resource: origin + "/mcp", authorization_servers: [origin] }],
  "/.well-known/oauth-authorization-server": () => [200, {
    issuer: origin,
    authorization_endpoint: origin + "/authorize",
    token_endpoint: origin + "/token",
    registration_endpoint: origin + "/register",
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    scopes_supported: ["read"],
  }],
  "/.well-known/oauth-authorization-server/mcp": () => [200, { ...endpoints(), registration_endpoint: origin + "/register", response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] }],
  "/register": (query, body) => [201, { ...JSON.parse(body), client_id: "client" }],
  "/authorize": (query) => {
    const code = randomUUID();
    grants.set(code, query.get("code_challenge"));
    const back = new URLSearchParams({ code, state: query.get("state") });
    return [302, "", { location: query.get("redirect_uri") + "?" + back }];
  },
  "/token": (query, body) => {
    const form = new URLSearchParams(body);
    if (refresh.delete(form.get("refresh_token"))) return issue();
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    if (grants.get(form.get("code")) === challenge) return issue();
    return [400, { error: "invalid_grant" }];
  },
  "/mcp": (query, body, { method, headers }) => {
    if (!access.has(headers.authorization?.replace("Bearer ", ""))) {
      if (place !== "root") return [401, "", { "www-authenticate": "Bearer" }];
      const page = origin + "/.well-known/oauth-protected-resource/mcp";
      return [401, "", { "www-authenticate": 'Bearer resource_metadata="' + page + '"' }];
    }
    if (method !== "POST") return [405, ""];
    const { id, method: asked, params } = JSON.parse(body);
    if (id === undefined) return [202, ""];
    const results = {
      initialize: () => introduce("guarded", params),
      "tools/list": () => ({ tools: [tool("greet")] }),
      "tools/call": () => text("Hello"),
    };
    return [200, { jsonrpc: "2.0", id, result: results[asked]?.() ?? {} }];
  },
};

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { pathname, searchParams } = new URL(request.url, origin);
  const isKnown = request.headers["x-gateway"] === "open";
  if (pathname !== "/authorize") asked.add(pathname + (isKnown ? " let in" : " unknown"));
  const isHidden = place !== "root" && (pathname.startsWith("/.well-known/oauth-protected-resource") || pathname === "/.well-known/oauth-authorization-server");
  if (isHidden || (place === "gateway" && !isKnown && pathname !== "/authorize")) {
    response.writeHead(404).end();
    return;
  }
  const [status, content, headers] = pages[pathname]?.(searchParams, body, request) ?? [404, ""];
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(content === "" ? "" : JSON.stringify(content));
});

const calls = {
  listen: (given) => new Promise((resolve) => server.listen(0, "127.0.0.1", () => {
    place = given.place ?? "root";
    origin = "http://127.0.0.1:" + server.address().port;
    resolve(text("open", { structuredContent: { url: origin + "/mcp" } }));
  })),
  browse: async ({ url }) => {
    const response = await fetch(url);
    return text(response.status + " " + (await response.text()));
  },
  comeBack: ({ url, query }) => {
    const back = new URL(new URL(url).searchParams.get("redirect_uri"));
    back.search = query;
    return calls.browse({ url: back });
  },
  strangers: () => text([...asked].filter((each) => each.endsWith("unknown")).join()),
  revoke: ({ all }) => {
    access.clear();
    if (all) refresh.clear();
    return text("done");
  },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answers = {
    initialize: () => introduce("helper", params),
    "tools/list": () => ({ tools: Object.keys(calls).map(tool) }),
    "tools/call": () => calls[params.name](params.arguments ?? {}),
  };
  const result = (await answers[method]?.()) ?? {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;
