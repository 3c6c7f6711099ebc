import type { Attack } from "./attack.ts";
import { sandboxAttacks } from "./catalogue/sandbox.ts";

export const catalogue: readonly Attack[] = [...sandboxAttacks];
