/** Connections through a proxy, or with additional trusted certificates, as the environment configures. */
import type { Socket } from "node:net";
import { addressOf, type Connector, openDirectConnector, serverName } from "./connector.ts";
import { NetworkRouteError } from "./dialer.ts";
import type { NetworkSettings } from "./network-settings.ts";
import { connectThroughTunnel, createCaContext } from "./routed-dialer.ts";

/** Throws a NetworkRouteError if the environment names an unusable proxy or certificate file. */
export async function openRoutedConnector(url: URL, settings: NetworkSettings): Promise<Connector> {
  const choice = settings.routeTo(url);
  if (choice.kind === "fault") throw new NetworkRouteError(choice.message, true);
  const proxy = choice.kind === "proxy" ? choice.proxy : null;
  const isSecure = url.protocol === "https:";
  const usesTls = isSecure || proxy?.isSecure === true;
  const secureContext =
    usesTls && settings.caFile !== null ? await createCaContext(settings.caFile) : undefined;
  const own = secureContext === undefined ? {} : { secureContext };
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
