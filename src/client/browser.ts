// The typed SDK for browsers.

export { type ConnectOptions, connect } from "./connect-browser.ts";
export * from "./sdk.ts";
