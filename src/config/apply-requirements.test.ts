import { describe, expect, test } from "vitest";
import { createTestHome } from "./config.fixture.ts";

async function effectiveValues(requirements: string, config: string) {
  const home = createTestHome(config);
  home.write("system/requirements.toml", requirements);
  const read = await (await home.open()).effective();
  if (!read.ok) throw new Error(read.error.message);
  return read.value.values;
}

describe("ways to search the web", () => {
  test.each([
    ["nobody asked for is cached, if that is allowed", '["cached", "live"]', "", "cached"],
    ["nobody asked for is off otherwise", '["live"]', "", "disabled"],
    ["that is allowed stays", '["live"]', 'web_search = "live"', "live"],
    ["that is not allowed is off", '["cached"]', 'web_search = "live"', "disabled"],
    ["that is off stays off", "[]", 'web_search = "disabled"', "disabled"],
  ])("one that %s", async (_what, allowed, config, expected) => {
    const values = await effectiveValues(`allowed_web_search_modes = ${allowed}\n`, config);
    expect(values.web_search).toBe(expected);
  });
});

test("an MCP server runs only if it is listed, and is what the list says", async () => {
  const { mcp_servers: servers } = await effectiveValues(
    `
[mcp_servers.good]
identity = { command = "good" }
[mcp_servers.near]
identity = { url = "https://near.example/mcp" }
[mcp_servers.other]
identity = { command = "good" }
[mcp_servers.strange]
identity = { command = "strange", args = ["a"] }
`,
    `
[mcp_servers.good]
command = "good"
[mcp_servers.near]
url = "https://near.example/mcp"
[mcp_servers.other]
command = "bad"
[mcp_servers.strange]
command = "strange"
[mcp_servers.unlisted]
command = "good"
required = true
`,
  );
  const running = Object.entries(servers).map(([name, { enabled, required }]) => [name, enabled, required]);
  expect(running).toEqual([
    ["good", true, false],
    ["near", true, false],
    ["other", false, false],
    ["strange", false, false],
    ["unlisted", false, false],
  ]);
});
