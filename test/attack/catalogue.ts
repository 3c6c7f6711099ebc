import type { Attack } from "./attack.ts";
import { accessAttacks } from "./catalogue/access.ts";
import { believedAttacks } from "./catalogue/believed.ts";
import { durabilityAttacks } from "./catalogue/durability.ts";
import { filesAttacks } from "./catalogue/files.ts";
import { historyAttacks } from "./catalogue/history.ts";
import { hooksAttacks } from "./catalogue/hooks.ts";
import { networkAttacks } from "./catalogue/network.ts";
import { policyAttacks } from "./catalogue/policy.ts";
import { queueAttacks } from "./catalogue/queue.ts";
import { sandboxAttacks } from "./catalogue/sandbox.ts";
import { storeAttacks } from "./catalogue/store.ts";
import { waitingAttacks } from "./catalogue/waiting.ts";
import { wireAttacks } from "./catalogue/wire.ts";

export const catalogue: readonly Attack[] = [
  ...sandboxAttacks,
  ...believedAttacks,
  ...networkAttacks,
  ...policyAttacks,
  ...durabilityAttacks,
  ...filesAttacks,
  ...storeAttacks,
  ...wireAttacks,
  ...historyAttacks,
  ...hooksAttacks,
  ...queueAttacks,
  ...waitingAttacks,
  ...accessAttacks,
];
