/** The release of the Codex app-server whose protocol is spoken; clients read it from the user agent. */
export const peerVersion = "0.166.0";
