/** The icons of the page, each a path in a square of 16. */

const PATHS = {
  back: "M6.5 3 3 6.5 6.5 10M3 6.5h6a4 4 0 0 1 0 8H6.5",
  bot: "M3 5.5h10v7H3zM8 3v2.5M6 8.5v1M10 8.5v1",
  brain: "M5 11.5a3 3 0 0 1-1-5.8A3.5 3.5 0 0 1 10.8 5 3.2 3.2 0 0 1 11 11.5zM6.5 14h3",
  chart: "M2.5 13.5h11M4.5 11V8M8 11V4M11.5 11V6.5",
  clip: "M12.5 7.5 8 12a3 3 0 0 1-4.2-4.2l5-5a2 2 0 0 1 2.8 2.8l-5 5a1 1 0 0 1-1.4-1.4L9.5 5",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3l2 1.5",
  dots: "M3.5 8h0M8 8h0M12.5 8h0",
  down: "m3.5 6 4.5 4.5L12.5 6",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  fork: "M4.5 5.5v5M4.5 2.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3M4.5 10.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3M11.5 2.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3M11.5 5.5c0 3-7 2-7 5",
  form: "M3 3h10v10H3zM5.5 6h5M5.5 8.5h5M5.5 11H8",
  grip: "M6 4h0M10 4h0M6 8h0M10 8h0M6 12h0M10 12h0",
  hook: "M10.5 2.5v7a3.5 3.5 0 0 1-7 0V8M3.5 8 1.8 9.7M3.5 8l1.7 1.7M10.5 2.5h0M9 2.5h3",
  inbox:
    "M2 9.5 3.6 3.6A1 1 0 0 1 4.6 3h6.8a1 1 0 0 1 1 .6L14 9.5V12a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM2 9.5h3.5l1 1.5h3l1-1.5H14",
  key: "M5.5 3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M7.3 7.3 13 13M11.2 11.2l1.5-1.5M9.2 9.2l1.2-1.2",
  left: "M10 3.5 5.5 8l4.5 4.5",
  link: "M6.5 9.5l3-3M7 4.5 8.5 3a3 3 0 0 1 4.3 4.3L11.2 8.8M9 11.5 7.5 13a3 3 0 0 1-4.3-4.3L4.8 7.2",
  list: "M6 4h7.5M6 8h7.5M6 12h7.5M2.5 4h.5M2.5 8h.5M2.5 12h.5",
  off: "M2.5 2.5l11 11M5 10.5a4 4 0 0 1 5.5-.5M2.5 7.5A8 8 0 0 1 6 5.4M8.5 5a8 8 0 0 1 5 2.5M8 13h0",
  ok: "m3 8.5 3.2 3.2L13 4.8",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.5v9l7-4.5z",
  queue: "M2.5 4h7M2.5 8h7M2.5 12h4M12 6.5V13M9.8 10.8 12 13l2.2-2.2",
  right: "m6 3.5 4.5 4.5L6 12.5",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5l3 3",
  server: "M3 3h10v4H3zM3 9h10v4H3zM5.5 5h0M5.5 11h0",
  shield: "M8 2 3 4v4c0 3 2.2 5 5 6 2.8-1 5-3 5-6V4z",
  stop: "M4.5 4.5h7v7h-7z",
  target: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
  term: "M3 4.5 6.5 8 3 11.5M8 12h5",
  thread: "M2.5 4a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H7l-3 2.5V11h-.5a1 1 0 0 1-1-1z",
  user: "M8 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M3 13.5c.5-3 2.5-4 5-4s4.5 1 5 4",
  warn: "M8 2.5 14 13H2zM8 6.5V9.5M8 11.3v0",
  x: "m4 4 8 8m0-8-8 8",
} as const;

export type IconName = keyof typeof PATHS;

/** Without a label it is decoration. */
export function Icon({ name, label, tone = "" }: { name: IconName; label?: string; tone?: string }) {
  const meaning =
    label === undefined ? { "aria-hidden": true as const } : { role: "img" as const, "aria-label": label };
  return (
    <svg class={`i ${tone}`} viewBox="0 0 16 16" {...meaning}>
      <path d={PATHS[name]} />
    </svg>
  );
}
