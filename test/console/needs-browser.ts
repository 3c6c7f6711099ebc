/** Tests in a browser are skipped without one, with the command that would enable them; in CI they fail. */
import { afterAll, beforeAll, describe } from "vitest";
import { findChromium, INSTALL, openBrowser, type TestBrowser } from "./browser.ts";

export function describeInBrowser(name: string, body: (browser: () => TestBrowser) => void): void {
  const isMissing = findChromium() === null && process.env["CI"] !== "true";
  describe.skipIf(isMissing)(isMissing ? `${name} (${INSTALL})` : name, () => {
    let browser: TestBrowser | undefined;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser?.close());
    body(() => {
      if (browser === undefined) throw new Error(INSTALL);
      return browser;
    });
  });
}
