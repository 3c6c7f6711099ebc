/** Connections through a proxy, or with additional trusted certificates, as the environment configures. */
import type { Socket } from "node:net";
import { addressOf, type Connector, openDirectConnector, serverName } from "./connector.ts";
import type { NetworkSettings } from "./network-settings.ts";
import { connectThroughTunnel, resolveRoute } from "./routed-dialer.ts";

/** Throws a NetworkRouteError if the environment names an unusable proxy or certificate file. */
export async function openRoutedConnector(url: URL, settings: NetworkSettings): Promise<Connector> {
  const { proxy, isSecure, trust: own } = await resolveRoute(url, settings);
  const address = addressOf(url);
  if (proxy === null) return openDirectConnector({ ...address, isSecure }, own);

  const { hostname: host, port, authorization, displayUrl } = proxy;
  if (!isSecure) {
    const direct = await openDirectConnector({ host, port, isSecure: proxy.isSecure }, own);
    const headers = authorization === null ? {} : { "proxy-authorization": authorization };
    return { ...direct, proxy: displayUrl, pathPrefix: url.origin, headers };
  }
  const options = { ALPNProtocols: ["http/1.1"], ...(await serverName(address.host)), ...address, ...own };
  return {
    connect({ onSocket, onError, onBytes }) {
      const listen = (socket: Socket) => onSocket(socket.on("data", onBytes));
      connectThroughTunnel(proxy, options, { onSocket: listen, onError });
    },
    ready: "secureConnect",
    proxy: displayUrl,
    pathPrefix: "",
    headers: {},
  };
}
