/** The entry point of the helper process: a separate bundle, started by `openHelperHost` with a socket as descriptor 3. */
import { Socket } from "node:net";
import { closeInheritedDescriptors } from "./close-inherited-descriptors.ts";
import { createLocalHost } from "./local-host.ts";
import { serveProcesses } from "./serve-processes.ts";

// Signals from the server's terminal are ignored: the helper ends when the socket closes.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => {});

closeInheritedDescriptors(4);
const socket = new Socket({ fd: 3, readable: true, writable: true });
const graceMs = Number(process.argv[2]);
void serveProcesses(socket, createLocalHost({ graceMs })).then(() => process.exit(0));
