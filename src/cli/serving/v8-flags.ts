/**
 * Has V8 remember from a function's first call on what it works with. It otherwise begins after several calls, and looks
 * everything up anew until then: the first turns of a server take a fifth less. For when the program has been read from
 * its code cache, which V8 refuses under another flag, and its client has been greeted, with code that runs only once.
 */
export function learnEarly(): void {
  process.getBuiltinModule("node:v8").setFlagsFromString("--no-lazy-feedback-allocation");
}
