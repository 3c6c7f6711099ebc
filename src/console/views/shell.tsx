/** The frame of every view: where one can go, what needs somebody, and the state of the connection. */
import type { ComponentChildren } from "preact";
import { openQuestions } from "../state/inbox.ts";
import { permission, requestPermission } from "../state/notifications.ts";
import { pathOf, place, type View } from "../state/router.ts";
import { connectPage, heldScopes, now, status, subject } from "../state/server.ts";
import { allThreads } from "../state/threads.ts";
import { VIEW_NAMES } from "../state/view-names.ts";
import { clockTime } from "../text/time.ts";
import { Icon } from "../ui/icon.tsx";
import { labelOf } from "../ui/key-table.ts";
import { openPalette } from "../ui/palette-state.ts";

const DAILY: readonly View[] = ["inbox", "threads", "queue"];
const SET_UP: readonly View[] = ["hooks", "decisions", "usage", "server"];

export function Shell({ children }: { children: ComponentChildren }) {
  return (
    <div class="app">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Banner />
      <nav class="side nav" aria-label="Views">
        <div class="brand">
          <Icon name="list" />
          Heddle
          <span class="host clip">{location.hostname}</span>
        </div>
        <button class="cmdk" type="button" onClick={openPalette} aria-keyshortcuts="Control+K Meta+K">
          <Icon name="search" />
          Go to…
          <kbd aria-hidden="true">{labelOf("palette")}</kbd>
        </button>
        {DAILY.map((view) => (
          <NavLink key={view} view={view} />
        ))}
        <h2>Watch and set up</h2>
        {SET_UP.map((view) => (
          <NavLink key={view} view={view} />
        ))}
        <Notify />
        <Identity />
      </nav>
      <main class="main" id="main" tabIndex={-1}>
        {children}
      </main>
      <nav class="tabs" aria-label="Views, short">
        {DAILY.map((view) => (
          <NavLink key={view} view={view} />
        ))}
        <a href={pathOf("server")} aria-current={SET_UP.includes(place.value.view) ? "page" : undefined}>
          <Icon name="dots" />
          More
        </a>
      </nav>
    </div>
  );
}

function NavLink({ view }: { view: View }) {
  const { name, icon } = VIEW_NAMES[view];
  const isCurrent = place.value.view === view;
  return (
    <a href={pathOf(view)} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={icon} />
      <span>{name}</span>
      <Badge view={view} />
    </a>
  );
}

/** Only what needs somebody has a colour. */
function Badge({ view }: { view: View }) {
  const waiting = openQuestions.value.length;
  if (view === "inbox" && waiting > 0)
    return (
      <span class="n hot">
        {waiting}
        <span class="sr"> need you</span>
      </span>
    );
  if (view === "threads" && allThreads.value.length > 0)
    return <span class="n">{allThreads.value.length}</span>;
  return null;
}

function Identity() {
  const { kind } = status.value;
  const held = heldScopes.value.length === 4 ? "all scopes" : heldScopes.value.join(", ");
  return (
    <div class="foot">
      {kind === "live" ? (
        <span class="chip ok">
          <Icon name="ok" />
          Live
        </span>
      ) : (
        <span class="chip warn">
          <Icon name="off" />
          Not connected
        </span>
      )}
      <span class="clip">
        {subject.value ?? "you"} · {held}
      </span>
    </div>
  );
}

/** Offered once, where the browser allows it. */
function Notify() {
  if (permission.value !== "default") return null;
  return (
    <button class="btn plain" type="button" onClick={() => void requestPermission()}>
      Notify me of questions
    </button>
  );
}

function Banner() {
  const { kind, reason, sinceMs } = status.value;
  if (kind === "live" || kind === "connecting") return null;
  const since = clockTime(sinceMs / 1000, now.value);
  if (kind === "refused")
    return (
      <div class="banner bad" role="alert">
        <Icon name="key" />
        <span class="grow">
          The server does not let this page in: {reason}. Open the address that <code>heddle serve</code>{" "}
          prints, or run <code>heddle pair</code> on the server.
        </span>
        <button class="btn" type="button" onClick={() => void connectPage()}>
          Try again
        </button>
      </div>
    );
  return (
    <div class="banner" role="status">
      {kind === "offline" ? <Icon name="off" /> : <span class="spin" />}
      <span class="grow">
        {kind === "offline"
          ? `Offline since ${since}. What is shown is a copy from then.`
          : `Connection lost at ${since}. Trying again; answers wait until it is back.`}
      </span>
    </div>
  );
}
