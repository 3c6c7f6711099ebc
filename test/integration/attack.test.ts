import { expect } from "vitest";
import { catalogue } from "../attack/catalogue.ts";
import { playAttacks } from "../attack/play-attacks.ts";
import { lackOf, testUnless } from "../support/needs-program.ts";
import { HEDDLE } from "../support/start-server.ts";

for (const attack of catalogue) {
  testUnless(
    lackOf("bwrap"),
    `${attack.name}: ${attack.promise}`,
    async () => {
      const [outcome] = await playAttacks({ attacks: [attack], program: HEDDLE, seeds: [20] });
      expect(outcome?.breach).toBeNull();
    },
    // Attacks on the wire fill memory and measure delays.
    { timeout: 150_000, concurrent: !attack.name.startsWith("wire/") },
  );
}
