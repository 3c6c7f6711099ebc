import { describe, expect, test } from "vitest";
import type { Bounds } from "../bounds.ts";
import { seatbeltCommand, seatbeltProfile } from "./seatbelt.ts";

const reading: Bounds = { network: false, roots: [], protectedPaths: [] };
const working: Bounds = {
  network: true,
  roots: ["/Users/me/app", "/private/tmp"],
  protectedPaths: ["/Users/me/app/.git", "/private/tmp/.git", "/private/tmp/main (1)/.git"],
};
/** The rules after those that every profile begins with. */
const rules = (bounds: Bounds, hidden: readonly string[] = []) => {
  const { text, parameters } = seatbeltProfile(bounds, { hidden, ports: [] });
  return { rules: text.slice(text.indexOf("membership")).split("\n").slice(1), parameters };
};

describe("the profile for Seatbelt", () => {
  test("denies by default, and allows no writes", () => {
    const { text, parameters } = seatbeltProfile(reading, { hidden: [], ports: [] });
    expect(text.split("\n").slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
    expect(text.split("\n").filter((line) => /network|system-socket/.test(line))).toEqual([]);
    expect(text.split("\n").filter((line) => line.includes("file-write*"))).toEqual([
      '(allow file-write* file-ioctl (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))',
    ]);
    expect(parameters).toEqual({});
  });

  test("orders rules from outer to inner paths, and pins the folders between", () => {
    expect(rules(working, ["/Users/me/.codex/control"])).toMatchInlineSnapshot(`
      {
        "parameters": {
          "HIDDEN_6": "/Users/me/.codex/control",
          "KEPT_2": "/private/tmp/.git",
          "KEPT_3": "/Users/me/app/.git",
          "KEPT_5": "/private/tmp/main (1)/.git",
          "WRITABLE_0": "/private/tmp",
          "WRITABLE_1": "/Users/me/app",
          "WRITABLE_4": "/private/tmp/main (1)",
        },
        "rules": [
          "  (global-name "com.apple.SecurityServer")",
          "  (global-name "com.apple.SystemConfiguration.DNSConfiguration")",
          "  (global-name "com.apple.SystemConfiguration.configd")",
          "  (global-name "com.apple.mDNSResponder")",
          "  (global-name "com.apple.networkd")",
          "  (global-name "com.apple.ocspd")",
          "  (global-name "com.apple.trustd")",
          "  (global-name "com.apple.trustd.agent"))",
          "(allow network* system-socket)",
          "(allow file-write* (subpath (param "WRITABLE_0")))",
          "(allow file-write* (subpath (param "WRITABLE_1")))",
          "(deny file-write* (literal (param "KEPT_2")) (subpath (param "KEPT_2")) (regex #"^/private/tmp/\\.[gG][iI][tT](/.*)?$"))",
          "(deny file-write* (literal (param "KEPT_3")) (subpath (param "KEPT_3")) (regex #"^/Users/me/app/\\.[gG][iI][tT](/.*)?$"))",
          "(deny file-write* (literal (param "KEPT_5")) (subpath (param "KEPT_5")) (regex #"^/private/tmp/main \\(1\\)/\\.[gG][iI][tT](/.*)?$"))",
          "(deny file-read* file-write* network-outbound (subpath (param "HIDDEN_6")))",
          "(deny file-write-unlink (require-all (literal (param "WRITABLE_0")) (vnode-type DIRECTORY)))",
          "(deny file-write-unlink (require-all (literal (param "WRITABLE_1")) (vnode-type DIRECTORY)))",
          "(deny file-write-unlink (require-all (literal (param "WRITABLE_4")) (vnode-type DIRECTORY)))",
        ],
      }
    `);
  });

  test("denies the ports of the server, also with network access", () => {
    const { text } = seatbeltProfile({ ...reading, network: true }, { hidden: [], ports: [4510] });
    expect(text).toContain('(deny network-outbound (remote ip "localhost:4510"))');
    expect(text.indexOf("(deny network-outbound")).toBeGreaterThan(text.indexOf("(allow network*"));
  });

  test("has balanced brackets", () => {
    const { text } = seatbeltProfile({ ...working, protectedPaths: [] }, { hidden: [], ports: [] });
    expect(text.split("(").length).toBe(text.split(")").length);
  });

  test("precedes the command with its parameters", () => {
    const [program, flag, text, ...rest] = seatbeltCommand(
      { ...reading, roots: ["/a b"] },
      { hidden: [], ports: [] },
    );
    expect([program, flag, ...rest]).toEqual(["/usr/bin/sandbox-exec", "-p", "-DWRITABLE_0=/a b", "--"]);
    expect(text).toContain('(allow file-write* (subpath (param "WRITABLE_0")))');
  });
});
