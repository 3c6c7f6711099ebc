import type { DemoScene } from "./demo-scene.ts";

/** What the demo model does when a message begins with a certain word. */
export interface DemoScript {
  /** How to ask for it, for people. */
  readonly usage: string;
  readonly about: string;
  fits(scene: DemoScene): boolean;
  play(scene: DemoScene): readonly DemoStep[];
}

export type DemoStep =
  | { readonly type: "say"; readonly text: string; readonly paceMs?: number }
  | { readonly type: "think"; readonly thoughts: readonly string[] }
  /** A text goes to a tool that takes plain text, an object to a function. */
  | { readonly type: "call"; readonly tool: string; readonly input: string | object }
  | { readonly type: "stumble"; readonly cause: string }
  | { readonly type: "fail"; readonly message: string };

export function say(text: string): DemoStep {
  return { type: "say", text };
}
