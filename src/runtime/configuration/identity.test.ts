import { describe, expect, test } from "vitest";
import { createIdentity, isHeaderValue } from "./identity.ts";

describe("identity", () => {
  test("the first client lends its name, the latest one its version", () => {
    const identity = createIdentity({ TERM: "xterm" });
    expect(identity.userAgent).toMatch(/^codex_cli_rs\/0\.166\.0 \(.+; .+\) xterm$/);
    identity.adopt("first", "1.0");
    identity.adopt("second", "2.0");
    expect(identity.originator).toBe("first");
    expect(identity.userAgent).toMatch(/^first\/0\.166\.0 \(.+\) xterm \(second; 2\.0\)$/);
  });

  test("caretakers lend no name", () => {
    const identity = createIdentity({});
    identity.adopt("codex_app_server_daemon", "1");
    identity.adopt("codex-backend", "1");
    expect(identity.originator).toBe("codex_cli_rs");
    expect(identity.userAgent).toMatch(/unknown$/);
  });

  test("the environment overrides every client, unless its name is no header value", () => {
    const given = createIdentity({ CODEX_INTERNAL_ORIGINATOR_OVERRIDE: "me" });
    given.adopt("client", "1");
    expect(given.originator).toBe("me");
    const bad = createIdentity({ CODEX_INTERNAL_ORIGINATOR_OVERRIDE: "m\ne" });
    bad.adopt("client", "1");
    expect(bad.originator).toBe("client");
  });

  test("the terminal is named with its version", () => {
    expect(createIdentity({ TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3" }).userAgent).toMatch(
      / iTerm\.app\/3$/,
    );
  });

  test("control characters make no header value", () => {
    expect(["a b", "ä", "a\tb"].every(isHeaderValue)).toBe(true);
    expect(["a\rb", "a\nb", "\u0000", "\u007f"].some(isHeaderValue)).toBe(false);
  });
});
