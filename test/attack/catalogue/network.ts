/** Attacks of sandboxed commands with network access on the server itself. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "../../support/start-server.ts";
import type { Attack } from "../attack.ts";
import { command } from "../attacked-server.ts";
import { WORKSPACE, workspaceOnly } from "./bounds.ts";

/** Connects, and makes the server run a command without a sandbox. */
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
    async run(harness) {
      const attacked = await harness.open({ transport: "ws", tables: workspaceOnly(NETWORK) });
      const other = harness.random.chance(0.4) ? await harness.open({ transport: "ws" }) : attacked;
      const { root, workspace } = attacked.server.home;
      const port = (other.server.address ?? "").split(":").at(-1) ?? "";
      const mark = join(root, "called");
      writeFileSync(join(workspace, "call.cjs"), client(`net.connect(${port}, "127.0.0.1")`, mark));
      const script = harness.random.pick([
        "node call.cjs",
        // An orphaned process, and one in a separate namespace.
        "(setsid node call.cjs &) ; sleep 1.5",
        "unshare -Ur node call.cjs",
        "unshare -Urpf --mount-proc node call.cjs || node call.cjs",
      ]);
      const played = await attacked.play([command(script)], { thread: { ...WORKSPACE, cwd: workspace } });
      if (existsSync(mark)) harness.breach("the server ran a command for a confined one", { script, played });
      // A client outside of the sandbox is still served.
      await attacked.server.connect();
    },
  },
  {
    name: "network/handed-on connection",
    promise: "a connection that nobody is seen to hold is refused while there are confined commands",
    async run(harness) {
      const attacked = await harness.open({ transport: "ws", tables: workspaceOnly(NETWORK) });
      const { root, workspace } = attacked.server.home;
      const port = (attacked.server.address ?? "").split(":").at(-1) ?? "";
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
      // The socket is in transit between the ends of a pair while the server searches for its holder.
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
      const played = await attacked.play([command("python3 call.py")], {
        thread: { ...WORKSPACE, cwd: workspace },
      });
      if (existsSync(mark)) harness.breach("the server ran a command for a confined one", { played });
    },
  },
  {
    name: "network/own unix socket",
    promise: "a confined command with a network cannot open the server's socket, wherever its path is",
    async run(harness) {
      const home = await harness.home();
      const path = join(home.root, harness.random.pick(["workspace/s.sock", "s.sock", "user/a/s.sock"]));
      const attacked = await harness.open({ home, tables: workspaceOnly(NETWORK) });
      const { server: own } = await harness.open({ transport: "unix" });
      const other = await startServer({ program: harness.program, home, listen: `unix://${path}` });
      harness.onEnd(() => other.stop());
      while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 20));
      const mark = join(home.root, "called");
      const target = harness.random.pick([path, own.socketPath ?? path]);
      writeFileSync(join(home.workspace, "call.cjs"), client(`net.connect(${JSON.stringify(target)})`, mark));
      const script = harness.random.pick([
        "node call.cjs",
        `ln ${target} linked; sed -i 's#${target}#linked#' call.cjs; node call.cjs`,
        "ls -la /tmp/heddle-* $XDG_RUNTIME_DIR; node call.cjs",
      ]);
      const played = await attacked.play([command(script)], {
        thread: { ...WORKSPACE, cwd: home.workspace },
      });
      if (existsSync(mark)) harness.breach("the server ran a command for a confined one", { target, played });
    },
  },
  {
    name: "network/token file",
    promise: "a confined command cannot read the token of the server",
    async run(harness) {
      const home = await harness.home();
      const file = join(home.root, harness.random.pick(["token", "workspace/token"]));
      const token = "t".repeat(40);
      writeFileSync(file, token, { mode: 0o600 });
      const attacked = await harness.open({
        home,
        args: ["--ws-auth", "capability-token", "--ws-token-file", file],
        tables: workspaceOnly(NETWORK),
      });
      const { outputs } = await attacked.play([command(`cat ${file}; cp ${file} copy; cat copy`)], {
        thread: { ...WORKSPACE, cwd: home.workspace },
      });
      if (outputs.join("").includes(token)) harness.breach("the token was read", { outputs });
    },
  },
];
