import { expect, test } from "vitest";
import { NO_EXTENSIONS, readClientExtensions } from "./client-extensions.ts";

const ui = { mimeTypes: ["text/html;profile=mcp-app"], more: { kept: true } };

test("servers are told of what is meant for them, as the client gave it", () => {
  const given = { "io.modelcontextprotocol/ui": ui, "openai/form": { a: 1 }, "some/other": {} };
  expect(readClientExtensions(given, false)).toEqual({
    forServers: { "io.modelcontextprotocol/ui": ui, "openai/form": { a: 1 } },
    fillsForms: false,
  });
});

test("what a client does for its user is not told to servers", () => {
  expect(readClientExtensions({ "openai/standard-form-input": {} }, false)).toEqual({
    forServers: {},
    fillsForms: true,
  });
});

test("a capability of older clients stands for an extension, unless that is given itself", () => {
  expect(readClientExtensions(null, true).forServers).toEqual({ "openai/form": {} });
  expect(readClientExtensions({ "openai/form": { a: 1 } }, true).forServers).toEqual({
    "openai/form": { a: 1 },
  });
});

test("settings that are no object are left out", () => {
  expect(readClientExtensions({ "openai/form": true }, false)).toEqual(NO_EXTENSIONS);
});
