/**
 * The routes of the web page. Its files are public: they are the same on every server, and contain nothing of it. No path of
 * a request is ever joined to a folder.
 */
import { once } from "../../../base/tasks.ts";
import {
  type AnswerHeaders,
  type HttpAnswer,
  plainAnswer,
  type RouteRequest,
} from "../../../transport/http-routes.ts";
import type { Route } from "../route-table.ts";
import { type ConsoleFile, ENCODINGS, FOLDERS } from "./console-files.ts";

const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  // Includes the WebSocket of the same host.
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types heddle-worker",
].join("; ");

const UNUSED_FEATURES =
  "accelerometer bluetooth camera display-capture geolocation gyroscope hid magnetometer microphone midi payment serial usb";

const HEADERS: AnswerHeaders = {
  "content-security-policy": CONTENT_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": UNUSED_FEATURES.split(" ")
    .map((feature) => `${feature}=()`)
    .join(", "),
};

/** Paths that the page itself reads. The last segment of each may be followed by one that is a parameter. */
const VIEWS = ["inbox", "threads", "queue", "hooks", "decisions", "usage", "server"];
const FILES = ["/manifest.webmanifest", "/sw.js", "/favicon.ico", "/favicon.svg"];

const NOT_BUILT = plainAnswer(
  404,
  "the console is not built: run `npm run build` in the checkout, or start the server with --no-console",
);
const UNKNOWN = plainAnswer(404, "there is no such page");

/** The folder contains what the build wrote. It is read by the first request. */
export function consoleRoutes(folder: string): readonly Route[] {
  const files = once(async () => {
    const { readConsoleFiles } = await import("./console-files.ts");
    return readConsoleFiles(folder);
  });

  async function answerFile(request: RouteRequest, path: string): Promise<HttpAnswer> {
    const known = await files.get();
    if (known === null) return NOT_BUILT;
    const file = known.get(path);
    return file === undefined ? UNKNOWN : sendFile(request, file);
  }

  const route = (path: string, answer: Route["answer"]): Route => ({
    methods: ["GET"],
    path,
    access: "anyone",
    headers: () => HEADERS,
    answer,
  });
  const viewPaths = VIEWS.flatMap((view) => [`/${view}`, `/${view}/{id}`, `/${view}/{id}/{part}`]);
  return [
    route("/", (request) => answerFile(request, "/index.html")),
    ...FILES.map((path) => route(path, (request) => answerFile(request, path))),
    ...FOLDERS.map((name) =>
      route(`/${name}/{file}`, (request, { file }) => answerFile(request, `/${name}/${file}`)),
    ),
    ...viewPaths.map((path) =>
      route(path, async (request) => (wantsPage(request) ? answerFile(request, "/index.html") : UNKNOWN)),
    ),
  ];
}

function wantsPage({ headers }: RouteRequest): boolean {
  return headers.accept?.includes("text/html") === true;
}

function sendFile({ headers: asked }: RouteRequest, file: ConsoleFile): HttpAnswer {
  const { contentType, etag, isHashed, plain, encoded } = file;
  const accepted = acceptedEncodings(asked["accept-encoding"]);
  const encoding = ENCODINGS.map(([name]) => name).find((name) => accepted.has(name) && encoded.has(name));
  const headers = {
    "content-type": contentType,
    "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    etag,
    vary: "accept-encoding",
  };
  if (namesTag(asked["if-none-match"], etag)) return { status: 304, headers, body: null };
  if (encoding === undefined) return { status: 200, headers, body: plain };
  return {
    status: 200,
    headers: { ...headers, "content-encoding": encoding },
    body: encoded.get(encoding) ?? plain,
  };
}

/** The encodings of the header that are not excluded by `q=0`. */
function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const names = String(header ?? "")
    .toLowerCase()
    .split(",")
    .filter((part) => !/;\s*q=0(?:\.0+)?\s*$/u.test(part))
    .map((part) => part.split(";")[0]?.trim() ?? "");
  return new Set(names);
}

function namesTag(header: string | undefined, etag: string): boolean {
  return header?.split(",").some((tag) => tag.trim().replace(/^W\//u, "") === etag) === true;
}
