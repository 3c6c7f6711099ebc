/** Attacks of confined commands that have a network, on the server itself. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "../../support/start-server.ts";
import type { Attack } from "../attack.ts";
import { command } from "../scene.ts";
import { onlyTheWorkspace, WORKSPACE } from "./bounds.ts";

/** Connects, and has the server run a command for it without bounds. */
function client(connect: string, mark: string): string {
  const messages = [
    { id: 1, method: "initialize", params: { clientInfo: { name: "x", version: "1" } } },
    { method: "initialized" },
    {
      id: 2,
      method: "command/exec",
      params: { command: ["touch", mark], sandboxPolicy: { type: "dangerFullAccess" } },
    },
  ];
  return `
const net = require("net"), crypto = require("crypto");
const socket = ${connect};
const frame = (text) => {
  const body = Buffer.from(text), mask = Buffer.alloc(4);
  const head = body.length < 126 ? Buffer.from([0x81, 0x80 | body.length])
    : Buffer.from([0x81, 0x80 | 126, body.length >> 8, body.length & 255]);
  return Buffer.concat([head, mask, body]);
};
socket.on("error", (error) => { console.log(error.code); });
socket.on("connect", () => {
  const key = crypto.randomBytes(16).toString("base64");
  socket.write("GET / HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n" +
    "Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: " + key + "\\r\\n\\r\\n");
  for (const message of ${JSON.stringify(messages.map((message) => JSON.stringify(message)))}) socket.write(frame(message));
});
socket.on("data", (data) => console.log(data.toString().slice(0, 300)));
setTimeout(() => process.exit(), 1500);
`;
}

const NETWORK = "network_access = true\n";

export const networkAttacks: readonly Attack[] = [
  {
    name: "network/own WebSocket",
    promise: "a confined command with a network cannot call the server that runs it, or another one",
    async run(ground) {
      const scene = await ground.open({ transport: "ws", tables: onlyTheWorkspace(NETWORK) });
      const other = ground.random.chance(0.4) ? await ground.open({ transport: "ws" }) : scene;
      const { root, workspace } = scene.server.home;
      const port = (other.server.address ?? "").split(":").at(-1) ?? "";
      const mark = join(root, "called");
      writeFileSync(join(workspace, "call.cjs"), client(`net.connect(${port}, "127.0.0.1")`, mark));
      const script = ground.random.pick([
        "node call.cjs",
        // A process that has lost its parent, and one in a namespace of its own.
        "(setsid node call.cjs &) ; sleep 1.5",
        "unshare -Ur node call.cjs",
        "unshare -Urpf --mount-proc node call.cjs || node call.cjs",
      ]);
      const played = await scene.play([command(script)], { thread: { ...WORKSPACE, cwd: workspace } });
      if (existsSync(mark)) ground.breach("the server ran a command for a confined one", { script, played });
      // Whoever is not confined is still served.
      await scene.server.connect();
    },
  },
  {
    name: "network/handed-on connection",
    promise: "a connection that nobody is seen to hold is refused while there are confined commands",
    async run(ground) {
      const scene = await ground.open({ transport: "ws", tables: onlyTheWorkspace(NETWORK) });
      const { root, workspace } = scene.server.home;
      const port = (scene.server.address ?? "").split(":").at(-1) ?? "";
      const mark = join(root, "called");
      const message = JSON.stringify({
        id: 2,
        method: "command/exec",
        params: { command: ["touch", mark], sandboxPolicy: { type: "dangerFullAccess" } },
      });
      const hello = JSON.stringify({
        id: 1,
        method: "initialize",
        params: { clientInfo: { name: "x", version: "1" } },
      });
      // The socket is in flight between two ends of a pair while the server looks for its holder.
      writeFileSync(
        join(workspace, "call.py"),
        `import socket, array, time, struct
s = socket.create_connection(("127.0.0.1", ${port}))
def frame(text):
    body = text.encode()
    head = bytes([0x81, 0x80 | len(body)]) if len(body) < 126 else bytes([0x81, 0xfe]) + struct.pack(">H", len(body))
    return head + bytes(4) + body
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
s.send(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n"
       b"Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n"
       + frame('''${hello}''') + frame('''${message}'''))
a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno()]))])
s.close()
time.sleep(1.5)
`,
      );
      const played = await scene.play([command("python3 call.py")], {
        thread: { ...WORKSPACE, cwd: workspace },
      });
      if (existsSync(mark)) ground.breach("the server ran a command for a confined one", { played });
    },
  },
  {
    name: "network/own unix socket",
    promise: "a confined command with a network cannot open the server's socket, wherever its path is",
    async run(ground) {
      const home = await ground.home();
      const path = join(home.root, ground.random.pick(["workspace/s.sock", "s.sock", "user/a/s.sock"]));
      const scene = await ground.open({ home, tables: onlyTheWorkspace(NETWORK) });
      const { server: own } = await ground.open({ transport: "unix" });
      const other = await startServer({ program: ground.program, home, listen: `unix://${path}` });
      ground.onEnd(() => other.stop());
      while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 20));
      const mark = join(home.root, "called");
      const target = ground.random.pick([path, own.socketPath ?? path]);
      writeFileSync(join(home.workspace, "call.cjs"), client(`net.connect(${JSON.stringify(target)})`, mark));
      const script = ground.random.pick([
        "node call.cjs",
        `ln ${target} linked; sed -i 's#${target}#linked#' call.cjs; node call.cjs`,
        "ls -la /tmp/heddle-* $XDG_RUNTIME_DIR; node call.cjs",
      ]);
      const played = await scene.play([command(script)], { thread: { ...WORKSPACE, cwd: home.workspace } });
      if (existsSync(mark)) ground.breach("the server ran a command for a confined one", { target, played });
    },
  },
  {
    name: "network/token file",
    promise: "a confined command cannot read the token of the server",
    async run(ground) {
      const home = await ground.home();
      const file = join(home.root, ground.random.pick(["token", "workspace/token"]));
      const token = "t".repeat(40);
      writeFileSync(file, token, { mode: 0o600 });
      const scene = await ground.open({
        home,
        args: ["--ws-auth", "capability-token", "--ws-token-file", file],
        tables: onlyTheWorkspace(NETWORK),
      });
      const { told } = await scene.play([command(`cat ${file}; cp ${file} copy; cat copy`)], {
        thread: { ...WORKSPACE, cwd: home.workspace },
      });
      if (told.join("").includes(token)) ground.breach("the token was read", { told });
    },
  },
];
