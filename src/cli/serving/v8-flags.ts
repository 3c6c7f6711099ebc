/**
 * Makes V8 collect type feedback from a function's first call on; by default it begins after several calls. The first
 * turns of a server then take a fifth less time. To be called after the program was loaded from its code cache, which
 * V8 rejects under another flag, and after the handshake, whose code runs only once.
 */
export function collectFeedbackEarly(): void {
  process.getBuiltinModule("node:v8").setFlagsFromString("--no-lazy-feedback-allocation");
}
