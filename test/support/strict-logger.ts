import { type Logger, silentLogger } from "../../src/base/logger.ts";

/** A logger for tests in which no error may occur: an error line fails the test. */
export const strictLogger: Logger = {
  ...silentLogger,
  error(message) {
    throw new Error(message);
  },
};
