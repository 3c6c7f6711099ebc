import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { MAX_WEBHOOKS, readWebhooks } from "./read-webhooks.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const ENV = { HOOK_SECRET: SECRET, NEXT_SECRET: SECRET, BAD: "hunter2" };

const read = (text: string) => readWebhooks(parse(text)["webhooks"], ENV);
const entry = (...lines: readonly string[]) => ["[[webhooks]]", ...lines].join("\n");
const URL_LINE = 'url = "https://hooks.example.com/heddle"';
const SECRET_LINE = `secret = "${SECRET}"`;

describe("an entry", () => {
  test("is read with its defaults", () => {
    const { endpoints, faults } = read(entry(URL_LINE, SECRET_LINE));
    expect(faults).toEqual([]);
    expect(endpoints).toEqual([
      {
        id: expect.stringMatching(/^hook_[0-9a-f]{12}$/),
        url: new URL("https://hooks.example.com/heddle"),
        secrets: [SECRET],
        events: null,
        filter: { folders: [], names: [], sources: [] },
        allowsPrivate: false,
      },
    ]);
  });

  test("is read with all keys", () => {
    const { endpoints, faults } = read(
      entry(
        'url = "http://127.0.0.1:8080/"',
        "allow_private = true",
        'name = "phone"',
        'secret_env = ["HOOK_SECRET", "NEXT_SECRET"]',
        'events = ["turn.failed", "question.opened"]',
        'filter = { folders = ["/home/me"], names = ["nightly*"], sources = ["exec"] }',
      ),
    );
    expect(faults).toEqual([]);
    expect(endpoints).toMatchObject([
      {
        id: "phone",
        secrets: [SECRET, SECRET],
        events: new Set(["turn.failed", "question.opened"]),
        filter: { folders: ["/home/me"], names: ["nightly*"], sources: ["exec"] },
        allowsPrivate: true,
      },
    ]);
  });

  test.each([
    ["url = 3", "`webhooks[0].url` must be a URL"],
    ['url = "nowhere"', "`webhooks[0].url` is not a URL"],
    ['url = "ftp://example.com"', "`webhooks[0].url` must begin with `https://`"],
    [
      'url = "http://example.com"',
      "`webhooks[0].url` must begin with `https://`, unless `allow_private` is true",
    ],
    [
      'url = "https://127.1/"',
      "`webhooks[0].url` 127.0.0.1 is not a public address: it needs `allow_private = true`",
    ],
    [
      'url = "https://localhost/"',
      "`webhooks[0].url` localhost is not a public address: it needs `allow_private = true`",
    ],
  ])("with %s is left out", (line, fault) => {
    expect(read(entry(line, SECRET_LINE))).toEqual({ endpoints: [], faults: [fault] });
  });

  test.each([
    ["", "`webhooks[0].secret` is missing"],
    ['secret = "hunter2"', "`webhooks[0].secret` must begin with `whsec_`"],
    ["secret = 7", "`webhooks[0].secret` must be a string, or a list of two"],
    ["secret = []", "`webhooks[0].secret` must have one or two entries"],
    [`secret = ["${SECRET}", "${SECRET}", "${SECRET}"]`, "`webhooks[0].secret` must have one or two entries"],
    ['secret = "whsec_MTIz"', "`webhooks[0].secret` must have 24 to 64 bytes after `whsec_`, and has 3"],
    ['secret_env = "MISSING"', "`webhooks[0].secret_env` names a variable that is not set"],
    ['secret_env = "BAD"', "`webhooks[0].secret_env` names a variable whose value must begin with `whsec_`"],
    [`${SECRET_LINE}\nsecret_env = "HOOK_SECRET"`, "`webhooks[0].secret_env` cannot be used with `secret`"],
    [`${SECRET_LINE}\nevents = "turn.ended"`, "`webhooks[0].events` must be a list of strings"],
    [`${SECRET_LINE}\nname = "a b"`, "`webhooks[0].name` must have 1 to 64 letters, digits, `_` and `-`"],
    [`${SECRET_LINE}\nfilter = 3`, "`webhooks[0].filter` must be a table"],
    [`${SECRET_LINE}\nfilter = { folder = [] }`, "`webhooks[0].filter.folder` is not a known key"],
    [`${SECRET_LINE}\nfilter.folders = ["work"]`, "`webhooks[0].filter.folders` must have absolute paths"],
    [`${SECRET_LINE}\nfilters = {}`, "`webhooks[0].filters` is not a known key"],
    [`${SECRET_LINE}\nallow_private = 1`, "`webhooks[0].allow_private` must be true or false"],
  ])("with %s is left out, and no secret is quoted", (lines, fault) => {
    expect(read(entry(URL_LINE, lines))).toEqual({ endpoints: [], faults: [fault] });
    expect(fault).not.toMatch(/hunter2|BwcHBw/);
  });

  test("with an unknown event is left out, and the known ones are listed", () => {
    const { faults } = read(entry(URL_LINE, SECRET_LINE, 'events = ["turn.begun"]'));
    expect(faults).toEqual([
      expect.stringMatching(
        /^`webhooks\[0\]\.events` has the unknown event "turn\.begun", expected `question\.opened`, /,
      ),
    ]);
  });

  test("with a mistake leaves the others in use", () => {
    const good = entry(URL_LINE, SECRET_LINE, 'name = "good"');
    const { endpoints, faults } = read([entry("url = 1"), good, good].join("\n"));
    expect(endpoints.map(({ id }) => id)).toEqual(["good"]);
    expect(faults).toHaveLength(2);
    expect(faults[1]).toMatch(/^`webhooks\[2\]` has the name or the URL of an earlier entry/);
  });
});

test("the number of entries is limited, and something else than a list is a fault", () => {
  const many = Array.from({ length: MAX_WEBHOOKS + 1 }, (_, at) =>
    entry(URL_LINE, SECRET_LINE, `name = "n${at}"`),
  );
  const { endpoints, faults } = read(many.join("\n"));
  expect([endpoints.length, faults]).toEqual([
    MAX_WEBHOOKS,
    [`\`webhooks\` has more than ${MAX_WEBHOOKS} entries`],
  ]);
  expect(readWebhooks("x", ENV).faults).toEqual(["`webhooks` must be a list: use `[[webhooks]]`"]);
  expect(readWebhooks(undefined, ENV)).toEqual({ endpoints: [], faults: [] });
  expect(readWebhooks(["x"], ENV).faults).toEqual(["`webhooks[0]` must be a table"]);
});
