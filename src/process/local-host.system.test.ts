import { createLocalHost } from "./local-host.ts";
import { describeProcessHost } from "./process-host.contract.ts";

describeProcessHost("a local host", () => createLocalHost({ graceMs: 100 }));
describeProcessHost("a local host with node-pty", () =>
  createLocalHost({ graceMs: 100, terminals: ["@lydell/node-pty"] }),
);
