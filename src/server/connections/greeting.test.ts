import { expect, test } from "vitest";
import { AppError } from "../../base/errors.ts";
import { silentLogger } from "../../base/logger.ts";
import type { Connection } from "./connection.ts";
import { createGreeting, type GreetingOptions } from "./greeting.ts";

test("a configuration that cannot be read keeps no client from being served", async () => {
  const logged: string[] = [];
  const greet = createGreeting({
    config: { home: "/", startup: () => Promise.reject(new AppError("config.invalid", "broken")) },
    log: { ...silentLogger, error: (message: string) => void logged.push(message) },
  } as unknown as GreetingOptions);
  await greet({} as Connection);
  expect(logged).toEqual(["greeting a client failed"]);
});
