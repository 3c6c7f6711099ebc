import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { systemClock } from "../base/clock.ts";
import { type Logger, silentLogger } from "../base/logger.ts";
import { CERTIFICATE, KEY, RENEWED_CERTIFICATE, RENEWED_KEY } from "../base/network/fixtures/certificates.ts";
import { plainAnswer } from "./http-routes.ts";
import { openTlsFiles } from "./tls-files.ts";
import { defaultTransportLimits, type Transport } from "./transport.ts";
import { openWebSocketListener } from "./websocket-listener.ts";

const CERT_FILE = "fullchain.pem";
const KEY_FILE = "privkey.pem";

/** A folder as renewal tools maintain it: symlinks to the current pair. */
function createTlsFolder() {
  const folder = mkdtempSync(join(tmpdir(), "heddle-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let version = 0;
  function renew(cert: string, key: string): void {
    version += 1;
    const archive = join(folder, `archive-${version}`);
    mkdirSync(archive);
    writeFileSync(join(archive, CERT_FILE), cert);
    writeFileSync(join(archive, KEY_FILE), key);
    for (const name of [CERT_FILE, KEY_FILE]) {
      symlinkSync(join(archive, name), join(folder, `${name}.new`));
      renameSync(join(folder, `${name}.new`), join(folder, name));
    }
  }
  renew(CERTIFICATE, KEY);
  return { renew, certFile: join(folder, CERT_FILE), keyFile: join(folder, KEY_FILE) };
}

/** Resolves with the next log message. */
function createLog() {
  const waiting: ((message: string) => void)[] = [];
  const hear = (message: string): void => waiting.shift()?.(message);
  const log: Logger = { ...silentLogger, info: hear, error: hear };
  return { log, next: () => new Promise<string>((resolve) => waiting.push(resolve)) };
}

async function nameServedAt(port: number): Promise<unknown> {
  const socket: TLSSocket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return name;
}

test("a renewed pair is used, an unusable one is not, and no client is disconnected", async () => {
  const place = createTlsFolder();
  const { log, next } = createLog();
  const tls = openTlsFiles({ ...place, clock: systemClock, log });
  const listener = await openWebSocketListener({
    listen: (server) => server.listen(0, "127.0.0.1"),
    names: { hosts: [], origins: [] },
    judgeUpgrade: null,
    tickets: null,
    tls,
    routes: { find: () => ({ access: "anyone", headers: {}, answer: async () => plainAnswer(400, "") }) },
    limits: defaultTransportLimits,
    log: silentLogger,
    onConnection(transport: Transport) {
      transport.start({ message: (text) => transport.send(text, "response"), closed: () => {} });
    },
  });
  onTestFinished(() => listener.close());
  const { port } = listener.address as AddressInfo;
  const client = new WebSocket(`wss://127.0.0.1:${port}`, { rejectUnauthorized: false });
  onTestFinished(() => client.terminate());
  await once(client, "open");
  expect(await nameServedAt(port)).toBe("localhost");

  const refused = next();
  place.renew(RENEWED_CERTIFICATE, KEY);
  expect(await refused).toBe("the new certificate cannot be used, and the old one stays");
  expect(await nameServedAt(port)).toBe("localhost");

  const replaced = next();
  place.renew(RENEWED_CERTIFICATE, RENEWED_KEY);
  expect(await replaced).toBe("the certificate was replaced");
  expect(await nameServedAt(port)).toBe("renewed.test");

  client.send("still here");
  expect(String((await once(client, "message"))[0])).toBe("still here");
});

test.each<[string, string, string, RegExp]>([
  ["another key", CERTIFICATE, RENEWED_KEY, /privkey\.pem are not a certificate and its key: .*mismatch/u],
  ["no certificate", "junk", KEY, /are not a certificate and its key/u],
])("%s keeps a listener from opening, in words", (_, cert, key, expected) => {
  const place = createTlsFolder();
  place.renew(cert, key);
  expect(() => openTlsFiles({ ...place, clock: systemClock, log: silentLogger })).toThrow(expected);
});

test("a missing file is named", () => {
  const place = { certFile: "/nowhere/cert.pem", keyFile: "/nowhere/key.pem" };
  expect(() => openTlsFiles({ ...place, clock: systemClock, log: silentLogger })).toThrow(
    "cannot read /nowhere/cert.pem: No such file or directory",
  );
});
