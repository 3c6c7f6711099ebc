/** nginx and Caddy with the configuration blocks of docs/operating.md; only ports and files are replaced. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";
import { CERTIFICATE, KEY } from "../../src/base/network/fixtures/certificates.ts";
import { Child } from "./child.ts";
import { createTempHome } from "./temp-home.ts";

const DEADLINE = 20_000;
/** The folder of programs that `npm run proxies` fetches. */
const FETCHED = join(".cache", "proxies", "usr");
const DEFAULT_PORT = "127.0.0.1:4510";

export interface ProxyProgram {
  readonly name: string;
  /** How to install it; null if it is present. */
  readonly lack: string | null;
  /** Starts it in front of a port or a socket file; returns the address of its TLS listener. */
  start(target: number | string): Promise<RunningProxy>;
}

export interface RunningProxy {
  readonly port: number;
  readonly child: Child;
  /** Reloads its configuration while it serves; absent if it cannot. */
  readonly reload?: () => Promise<void>;
}

export const nginx: ProxyProgram = {
  name: "nginx",
  lack: lackOf("nginx"),
  start: (target) =>
    startNginx(
      readBlock("nginx").replaceAll(
        DEFAULT_PORT,
        typeof target === "number" ? `127.0.0.1:${target}` : `unix:${target}`,
      ),
    ),
};

/** nginx with the block for several users, whose sockets are in this folder. */
export function startNginxForUsers(sockets: string): Promise<RunningProxy> {
  return startNginx(readBlock("nginx", 1).replaceAll("/run/heddle", sockets));
}

async function startNginx(block: string): Promise<RunningProxy> {
  const { folder, port } = await createProxyFolder();
  writeFileSync(join(folder, "cert.pem"), CERTIFICATE);
  writeFileSync(join(folder, "key.pem"), KEY);
  const server = block
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace(/ssl_certificate \S+;/u, `ssl_certificate ${folder}/cert.pem;`)
    .replace(/ssl_certificate_key \S+;/u, `ssl_certificate_key ${folder}/key.pem;`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const config = join(folder, "nginx.conf");
  writeFileSync(
    config,
    [
      "daemon off;",
      process.getuid?.() === 0 ? "user root;" : "",
      `pid ${folder}/pid;`,
      "error_log stderr notice;",
      "worker_processes 1;",
      "events {}",
      "http {",
      "access_log off;",
      ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`),
      server,
      "}",
    ].join("\n"),
  );
  const child = startChild("nginx", ["-e", "stderr", "-p", folder, "-c", config], folder);
  await child.stderrMatch(/start worker process \d+/u, DEADLINE);
  return {
    port,
    child,
    async reload() {
      child.signal("SIGHUP");
      await child.stderrMatch(/gracefully shutting down/u, DEADLINE);
    },
  };
}

export const caddy: ProxyProgram = {
  name: "Caddy",
  lack: lackOf("caddy"),
  async start(target) {
    const { folder, port } = await createProxyFolder();
    // Its own certificate authority replaces a public one.
    const options = [
      "debug",
      "admin off",
      `https_port ${port}`,
      "default_bind 127.0.0.1",
      "auto_https disable_redirects",
      "local_certs",
      "skip_install_trust",
      `storage file_system ${folder}/storage`,
    ];
    const config = join(folder, "Caddyfile");
    const upstream = typeof target === "number" ? `127.0.0.1:${target}` : `unix/${target}`;
    const site = readBlock("caddy").replaceAll(DEFAULT_PORT, upstream);
    writeFileSync(config, `{\n${options.map((line) => `  ${line}\n`).join("")}}\n${site}`);
    const child = startChild("caddy", ["run", "--adapter", "caddyfile", "--config", config], folder);
    await child.stderrMatch(/added certificate to cache[^\n]*heddle\.example/u, DEADLINE);
    return { port, child };
  },
};

/** The code blocks of this language, in order. */
function readBlock(language: string, at = 0): string {
  const text = readFileSync(join("docs", "operating.md"), "utf8");
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gmsu"))];
  const block = blocks[at]?.[1];
  if (block === undefined) throw new Error(`docs/operating.md has no block ${at} of ${language}`);
  return block;
}

function find(program: string): string | undefined {
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    "/usr/sbin",
    join(FETCHED, "sbin"),
    join(FETCHED, "bin"),
  ];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

function lackOf(program: string): string | null {
  return find(program) === undefined ? `needs ${program}: npm run proxies` : null;
}

function startChild(program: string, args: readonly string[], folder: string): Child {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  const child = new Child({ command: find(program) ?? program, args, cwd: process.cwd(), env });
  onTestFinished(async () => void (await child.stop()));
  return child;
}

async function createProxyFolder(): Promise<{ readonly folder: string; readonly port: number }> {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  const folder = join(home.root, "proxy");
  mkdirSync(folder);
  return { folder, port: await findFreePort() };
}

/** A free port; it is unlikely that another process takes it before it is used. */
function findFreePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });
}
