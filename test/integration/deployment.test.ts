/** Deployment files for operators: the systemd units and the Dockerfile. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DockerfileParser, JSONInstruction } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../support/child.ts";
import { lackOf, testUnless } from "../support/needs-program.ts";
import { startManaged } from "../support/service-manager.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

async function createHome(): Promise<TempHome> {
  const home = await createTempHome({ config: "" });
  onTestFinished(() => home.remove());
  return home;
}

describe("the units of systemd", () => {
  const service = readFileSync("docs/operating/heddle@.service", "utf8");
  const socket = readFileSync("docs/operating/heddle@.socket", "utf8");
  const valueOf = (unit: string, name: string) => new RegExp(`^${name}=(.*)$`, "mu").exec(unit)?.[1] ?? "";

  testUnless(lackOf("perl"), "start the server on the socket, and hear of it", async () => {
    const home = await createHome();
    const [program, command, ...args] = valueOf(service, "ExecStart").split(" ");
    expect([program, command]).toEqual(["/usr/local/bin/heddle", "serve"]);
    // The file is optional.
    expect(valueOf(service, "EnvironmentFile")).toBe("-/etc/heddle/%i.env");
    const [, name] = valueOf(service, "OpenFile").split(":");
    const file = join(home.root, "alice.sock");
    const opens = [
      `notify=${join(home.root, "notify")}`,
      `mode=${valueOf(socket, "SocketMode")}`,
      `unix=${file}`,
      `open=${name}`,
    ];
    const server = startManaged({ home, opens, args });
    await server.line(new RegExp(`^told READY=1\\|STATUS=listening on unix://${file}$`, "u"));
  });

  testUnless(
    lackOf("systemd-analyze"),
    "are understood by systemd, and leave little open",
    async () => {
      const { root } = await createHome();
      const file = join(root, "heddle@alice.service");
      writeFileSync(file, service.replace("/usr/local/bin/heddle", "/bin/true"));
      writeFileSync(join(root, "heddle@.socket"), socket);
      const analyze = (...args: string[]) =>
        spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" });
      const { stderr } = analyze("verify");
      const unknown = stderr.split("\n").filter((line) => line.includes(root));
      // Only systemd 253 and later know this key; earlier versions ignore it.
      expect(unknown.filter((line) => !line.includes("Unknown key 'OpenFile'"))).toEqual([]);
      expect(analyze("security", "--offline=true", "--threshold=40").status).toBe(0);
    },
    { optional: true },
  );
});

describe("the container", () => {
  const text = readFileSync("Dockerfile", "utf8");
  const dockerfile = DockerfileParser.parse(text);
  const words = (keyword: string): string[] => {
    const found = dockerfile.getInstructions().findLast((each) => each.getKeyword() === keyword);
    return found instanceof JSONInstruction ? found.getJSONStrings().map((each) => each.getJSONValue()) : [];
  };
  const last = (keyword: string) =>
    dockerfile
      .getInstructions()
      .findLast((each) => each.getKeyword() === keyword)
      ?.getArgumentsContent();

  test("has a recipe without a mistake", () => {
    expect(validate(text).map(({ message }) => message)).toEqual([]);
    expect(last("USER")).toBe("node");
  });

  test("is made of what is there, and of what is not kept from it", () => {
    const sources = dockerfile
      .getCOPYs()
      .filter((copy) => copy.getFromFlag() === null)
      .flatMap((copy) => copy.getArguments().slice(0, -1))
      .map((argument) => argument.getValue());
    expect(sources).toContain("package-lock.json");
    expect(sources.filter((source) => !existsSync(source))).toEqual([]);
    const [nothing, ...kept] = readFileSync(".dockerignore", "utf8").trim().split("\n");
    expect(nothing).toBe("*");
    expect(sources.filter((source) => !kept.includes(`!${source}`))).toEqual([]);
  });

  test("runs a server that is healthy as long as it lives", async () => {
    const home = await createHome();
    const entry = words("ENTRYPOINT");
    expect(entry).toEqual(["tini", "--", "heddle"]);
    const tokenFile = join(home.root, "token");
    writeFileSync(tokenFile, "a-token-that-nobody-guesses");
    const port = last("EXPOSE") ?? "";
    const args = words("CMD").map((word) =>
      word.replace(`:${port}`, ":0").replace("/run/secrets/heddle-token", tokenFile),
    );
    const child = new Child({
      command: HEDDLE.command,
      args: [...HEDDLE.args, ...args],
      cwd: home.workspace,
      env: serverEnvironment(home),
    });
    onTestFinished(async () => void (await child.stop()));
    const [, bound = ""] = await child.stderrMatch(/listening on {2}ws:\/\/0\.0\.0\.0:(\d+)/u, 20_000);
    const [healthcheck] = dockerfile.getHEALTHCHECKs();
    const check = /CMD (\[.*\])$/su.exec(healthcheck?.getTextContent() ?? "")?.[1] ?? "[]";
    const [command, ...rest] = JSON.parse(check) as string[];
    expect(command).toBe("node");
    const isHealthy = async (): Promise<boolean> => {
      const given = rest.map((word) => word.replace(`:${port}/`, `:${bound}/`));
      const probe = new Child({ command: process.execPath, args: given, cwd: home.workspace, env: {} });
      return (await probe.exit).code === 0;
    };
    expect(await isHealthy()).toBe(true);
    await child.stop();
    expect(await isHealthy()).toBe(false);
  });
});
