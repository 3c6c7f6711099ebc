import type { LeaveRecord, Matter, Verdict } from "../store/decisions/decision-log.ts";

export type Noted = Pick<Matter, "subject"> & Omit<Verdict, "atMs"> & { readonly wasAsked: boolean };

/** Records that end up in a list. */
export function noteLeave(noted: Noted[] = []): (matter: Pick<Matter, "subject">) => LeaveRecord {
  return ({ subject }) => {
    let wasAsked = false;
    const decide: LeaveRecord["decide"] = async (outcome, by, reason) => {
      noted.push({ subject, outcome, by, reason, wasAsked });
    };
    return {
      async ask() {
        wasAsked = true;
      },
      decide,
      fail: (reason) => decide("denied", { kind: "failure" }, reason),
    };
  };
}
