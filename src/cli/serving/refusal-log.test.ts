import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createLogger } from "../../base/logger.ts";
import { createRefusalLog } from "./refusal-log.ts";

const REFUSED = {
  status: 403,
  reason: "web pages are not served",
  origin: { transport: "websocket", from: "127.0.0.1" },
  host: "localhost",
  page: "https://evil.example",
} as const;

function open() {
  const lines: string[] = [];
  const clock = createFakeClock();
  const log = createLogger({
    level: "error",
    format: "text",
    now: () => 0,
    write: (line) => lines.push(line),
  });
  return { lines, clock, tell: createRefusalLog({ log, clock }) };
}

test("a refused page is named at the default level; a wrong token is not an error of the server", () => {
  const { lines, tell } = open();
  tell({ ...REFUSED, page: `https://${"x".repeat(5000)}` });
  tell({ ...REFUSED, status: 401 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/ERROR connection refused .*"status":403.*"page":"https:\/\/x{92}…"/u);
});

test("whoever comes again and again does not fill the log", () => {
  const { lines, clock, tell } = open();
  for (let count = 0; count < 1000; count += 1) tell(REFUSED);
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toContain("further ones of this minute are not logged");
  clock.advance(60_000);
  tell(REFUSED);
  expect(lines).toHaveLength(11);
});
