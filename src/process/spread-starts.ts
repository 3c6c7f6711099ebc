/**
 * Several hosts as one. Each starts one child after the other, which takes milliseconds; what is to be started at the
 * same time, as the hooks of an event, is spread over them. What comes one by one stays with the first, so that the
 * others, which are started on first use, cost nothing.
 */
import type { ProcessHost } from "./process-host.ts";

/** Children that are being started by one host before the next one is looked at. */
const CROWD = 2;

export function spreadStarts(hosts: readonly [ProcessHost, ...ProcessHost[]]): ProcessHost {
  const places = hosts.map((host) => ({ host, starting: 0 }));
  const [first = { host: hosts[0], starting: 0 }] = places;
  return {
    async start(spec, onOutput) {
      const least = places.reduce((one, other) => (other.starting < one.starting ? other : one));
      const place = first.starting < CROWD ? first : least;
      place.starting += 1;
      try {
        return await place.host.start(spec, onOutput);
      } finally {
        place.starting -= 1;
      }
    },
    async close() {
      await Promise.all(places.map(({ host }) => host.close()));
    },
  };
}
