// Shows notifications and opens the page of a question. Nothing is cached: no thread is stored on a device.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { path } = event.notification.data ?? {};
  event.waitUntil(openPage(typeof path === "string" && path.startsWith("/") ? path : "/inbox"));
});

async function openPage(path) {
  const [open] = await self.clients.matchAll({ type: "window" });
  if (open === undefined) return self.clients.openWindow(path);
  await open.focus();
  return open.navigate(path);
}
