import { type Logger, silentLogger } from "../../src/base/logger.ts";

/** For histories in which nothing may be wrong: whatever would be logged as an error fails the test. */
export const strictLogger: Logger = {
  ...silentLogger,
  error(message) {
    throw new Error(message);
  },
};
