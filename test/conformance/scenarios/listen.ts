/** Starting: forms of --listen, options that exclude each other, and what must not start at all. */
import type { Scenario } from "../scenario.ts";
import { failsToStart, STDIO } from "../steps.ts";

const FORMS = "expected `stdio://`, `unix://`, `unix://PATH`, `ws://IP:PORT`, or `off`";
const listen = (url: string, ...more: string[]) => ["app-server", "--listen", url, ...more];
const auth = (...more: string[]) => listen("ws://127.0.0.1:0", "--ws-auth", ...more);

export const listenScenarios: readonly Scenario[] = [
  {
    name: "listen/bad-urls",
    about: "An address that cannot be listened on is a usage error: exit code 2 and the accepted forms.",
    transports: STDIO,
    starts: false,
    steps: [
      failsToStart(listen("foo"), 2, ["unsupported --listen URL `foo`", FORMS]),
      failsToStart(listen("http://127.0.0.1:1"), 2, ["unsupported --listen URL `http://127.0.0.1:1`", FORMS]),
      failsToStart(listen(""), 2, ["unsupported --listen URL ``"]),
      failsToStart(listen("ws://localhost:1"), 2, [
        "invalid websocket --listen URL `ws://localhost:1`; expected `ws://IP:PORT`",
      ]),
      failsToStart(listen("ws://127.0.0.1"), 2, ["invalid websocket --listen URL `ws://127.0.0.1`"]),
      failsToStart(listen("ws://127.0.0.1:99999"), 2, [
        "invalid websocket --listen URL `ws://127.0.0.1:99999`",
      ]),
      failsToStart(listen("wss://127.0.0.1:1"), 2, ["unsupported --listen URL `wss://127.0.0.1:1`"]),
      failsToStart(["app-server", "--no-such-option"], 2, ["--no-such-option"]),
    ],
  },
  {
    name: "listen/off",
    about: "With no listener there is nothing to serve, and the start fails.",
    transports: STDIO,
    starts: false,
    steps: [
      failsToStart(listen("off"), 1, ["no transport configured; use --listen or enable remote control"]),
    ],
  },
  {
    name: "listen/stdio-forms",
    about: "stdio is the default and can be named in two ways; each server ends with its input.",
    transports: STDIO,
    starts: false,
    steps: [
      failsToStart(["app-server"], 0, []),
      failsToStart(["app-server", "--stdio"], 0, []),
      failsToStart(listen("stdio://"), 0, []),
    ],
  },
  {
    name: "listen/open-network-needs-auth",
    about: "An address that other machines can reach is refused without authentication.",
    transports: STDIO,
    starts: false,
    steps: [
      failsToStart(listen("ws://0.0.0.0:0"), 1, [
        "refusing to start non-loopback websocket listener 0.0.0.0:0 without auth",
        "configure `--ws-auth capability-token` or `--ws-auth signed-bearer-token`",
      ]),
      failsToStart(listen("ws://[::]:0"), 1, [
        "refusing to start non-loopback websocket listener [::]:0 without auth",
      ]),
    ],
  },
  {
    name: "listen/auth-options",
    about: "Authentication options that do not fit together, or name unusable files, stop the start.",
    transports: STDIO,
    starts: false,
    files: { "home/short": "too-short\n", "home/empty": "\n", "home/good": "super-secret-token" },
    steps: [
      failsToStart(auth("no-such-mode"), 2, ["no-such-mode"]),
      failsToStart(auth("capability-token"), 1, [
        "`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set",
      ]),
      failsToStart(auth("signed-bearer-token"), 1, [
        "`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set",
      ]),
      failsToStart(auth("signed-bearer-token", "--ws-shared-secret-file", "{{home}}/short"), 1, [
        "must be at least 32 bytes",
      ]),
      failsToStart(auth("signed-bearer-token", "--ws-shared-secret-file", "{{home}}/missing"), 1, [
        "failed to read websocket auth secret {{home}}/missing: No such file or directory (os error 2)",
      ]),
      failsToStart(auth("capability-token", "--ws-token-file", "{{home}}/missing"), 1, [
        "failed to read websocket auth secret {{home}}/missing: No such file or directory (os error 2)",
      ]),
      failsToStart(auth("capability-token", "--ws-token-file", "{{home}}/empty"), 1, ["must not be empty"]),
      failsToStart(auth("capability-token", "--ws-token-file", "relative"), 1, ["{{workspace}}/relative"]),
      failsToStart(auth("capability-token", "--ws-token-sha256", "abc"), 1, [
        "--ws-token-sha256 must be a 64-character hex SHA-256 digest",
      ]),
      failsToStart(
        auth("capability-token", "--ws-token-file", "{{home}}/good", "--ws-token-sha256", "ab".repeat(32)),
        1,
        ["`--ws-token-file` and `--ws-token-sha256` are mutually exclusive"],
      ),
      failsToStart(auth("capability-token", "--ws-shared-secret-file", "{{home}}/good"), 1, [
        "`--ws-shared-secret-file`, `--ws-issuer`, `--ws-audience`, and `--ws-max-clock-skew-seconds` require `--ws-auth signed-bearer-token`",
      ]),
      failsToStart(listen("ws://127.0.0.1:0", "--ws-token-file", "{{home}}/good"), 1, [
        "websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`",
      ]),
    ],
  },
];
