/** The program of the helper process: a bundle of its own, started by `openHelperHost` with a socket as file 3. */
import { Socket } from "node:net";
import { closeInheritedDescriptors } from "./close-inherited-descriptors.ts";
import { createLocalHost } from "./local-host.ts";
import { serveProcesses } from "./serve-processes.ts";

// What is meant for the server's terminal is not meant for the helper: it ends with the socket.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => {});

closeInheritedDescriptors(4);
const socket = new Socket({ fd: 3, readable: true, writable: true });
const graceMs = Number(process.argv[2]);
void serveProcesses(socket, createLocalHost({ graceMs })).then(() => process.exit(0));
