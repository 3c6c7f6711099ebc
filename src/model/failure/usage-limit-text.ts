/** The messages for exhausted usage limits. The texts are part of the protocol. */
import { type HttpHeaders, headerOf } from "../provider-input.ts";
import type { ProviderError } from "./provider-error.ts";

const HIT = "You’ve hit your usage limit";
const BUY = "https://chatgpt.com/settings/usage to purchase more credits";

const REACHED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    workspace_owner_credits_depleted: "Your workspace is out of credits. Add credits to continue.",
    workspace_member_credits_depleted:
      "Your workspace is out of credits. Ask your workspace owner to refill in order to continue.",
    workspace_owner_usage_limit_reached:
      "You hit your spend cap set in your workspace. Increase your spend cap to continue.",
    workspace_member_usage_limit_reached:
      "You hit your spend cap set by the owner of your workspace. Ask an owner to increase your spend cap to continue.",
  }),
);

const ASK_ADMIN = "To get more access now, send a request to your admin";
const UPGRADE_PLUS = "Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus),";

/** The advice for each plan; other plans can only wait. */
const PLANS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    plus: `Upgrade to Pro (https://chatgpt.com/explore/pro), visit ${BUY}`,
    pro: `Visit ${BUY}`,
    prolite: `Visit ${BUY}`,
    team: ASK_ADMIN,
    business: ASK_ADMIN,
    ent26: ASK_ADMIN,
    self_serve_business_prolite: ASK_ADMIN,
    self_serve_business_usage_based: ASK_ADMIN,
    enterprise_cbp_automation: ASK_ADMIN,
    enterprise_cbp_usage_based: ASK_ADMIN,
    free: UPGRADE_PLUS,
    go: UPGRADE_PLUS,
  }),
);

export function usageLimitText(error: ProviderError | null, headers: HttpHeaders, nowMs: number): string {
  const resetsAt = error?.resetsAt ?? null;
  const at = resetsAt === null ? "later" : `at ${clockTime(resetsAt * 1000, nowMs)}`;
  const limit = limitName(headers);
  if (limit !== null) return `${HIT} for ${limit}. Switch to another model now, or try again ${at}.`;
  const reached = REACHED.get(headerOf(headers, "x-codex-rate-limit-reached-type")?.trim() ?? "");
  if (reached !== undefined) return reached;
  const promo = headerOf(headers, "x-codex-promo-message")?.trim();
  if (promo !== undefined && promo !== "") return `${HIT}. ${promo}, or try again ${at}.`;
  const advice = PLANS.get(error?.planType ?? "");
  return advice === undefined ? `${HIT}. Try again ${at}.` : `${HIT}. ${advice} or try again ${at}.`;
}

function limitName(headers: HttpHeaders): string | null {
  const active = headerOf(headers, "x-codex-active-limit")?.trim() || "codex";
  const name = headerOf(headers, `x-${active.toLowerCase().replaceAll("_", "-")}-limit-name`)?.trim() ?? "";
  return name === "" || name.toLowerCase() === "codex" ? null : name;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `6:48 AM` today, `Jan 1st, 2030 12:00 AM` on any other day, in local time. */
function clockTime(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const minutes = String(at.getMinutes()).padStart(2, "0");
  const time = `${at.getHours() % 12 || 12}:${minutes} ${at.getHours() < 12 ? "AM" : "PM"}`;
  if (at.toDateString() === new Date(nowMs).toDateString()) return time;
  return `${MONTHS[at.getMonth()]} ${at.getDate()}${ordinal(at.getDate())}, ${at.getFullYear()} ${time}`;
}

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return "th";
  return ["th", "st", "nd", "rd"][day % 10] ?? "th";
}
