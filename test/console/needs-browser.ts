/** Tests in a browser are skipped without one, with the command that would enable them; in CI they fail. */
import { afterAll, beforeAll, describe } from "vitest";
import { findChromium, INSTALL, openBrowser, type TestBrowser } from "./browser.ts";

export function describeInBrowser(name: string, body: (browser: () => TestBrowser) => void): void {
  const isMissing = findChromium() === null;
  if (isMissing && process.env["CI"] !== "true") {
    describe.skip(`${name} (${INSTALL})`, () => body(() => ({}) as TestBrowser));
    return;
  }
  describe(name, () => {
    let browser: TestBrowser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser?.close());
    body(() => browser);
  });
}
