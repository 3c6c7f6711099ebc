import { expect, test } from "vitest";
import { missingDriver } from "./missing-driver.ts";

test.each([
  ["not installed at all", null, "`npm install better-sqlite3` where Heddle is installed"],
  [
    "installed by npm beside Heddle",
    "/home/ann/app/node_modules/better-sqlite3/lib/index.js",
    "`npm rebuild better-sqlite3 --ignore-scripts=false` in /home/ann/app,",
  ],
  [
    "installed by npm for everybody",
    "/usr/lib/node_modules/heddle/node_modules/better-sqlite3/lib/index.js",
    "`npm rebuild better-sqlite3 --ignore-scripts=false` in /usr/lib/node_modules/heddle,",
  ],
  [
    "installed by pnpm",
    "/home/ann/app/node_modules/.pnpm/better-sqlite3@12.11.1/node_modules/better-sqlite3/lib/index.js",
    "`pnpm approve-builds` in /home/ann/app and choose better-sqlite3,",
  ],
])("better-sqlite3 %s: one line that says what to run", (_, library, remedy) => {
  const { message } = missingDriver(library, new Error("Could not locate the bindings file. Tried:\n → /a"));
  expect(message).toContain(`Run ${remedy}`);
  expect(message).toMatch(
    /^SQLite is not available: .* or use Node 22\.13 or newer, which has SQLite built in\.$/u,
  );
});
