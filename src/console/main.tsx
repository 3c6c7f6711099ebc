/** The console: a page that shows what runs, what waits and what was decided on one server. */
import { render } from "preact";
import { App } from "./app.tsx";
import { followInbox } from "./state/inbox.ts";
import { followNotifications } from "./state/notifications.ts";
import { listen } from "./state/router.ts";
import { start } from "./state/server.ts";
import { followThreads } from "./state/threads.ts";

followInbox();
followThreads();
followNotifications();
listen();
// The connection is opened before the first frame is drawn.
void start();
const root = document.getElementById("root");
if (root !== null) render(<App />, root);
