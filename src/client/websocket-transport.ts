/** A WebSocket as a transport. */
import type { CloseReason, Transport } from "../transport/transport.ts";
import { ConnectionError } from "./connection-error.ts";

/** The part of the WebSocket interface that browsers and Node libraries share. */
export interface StandardWebSocket {
  send(text: string): void;
  close(): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "close", listener: (event: { code?: number; reason?: string }) => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "error", listener: (event: { message?: string }) => void): void;
}

/** Resolves when it is open. `explain` adds the reason of a refusal, where it is known. */
export async function openWebSocket(
  url: string,
  socket: StandardWebSocket,
  explain: () => { readonly status: number; readonly reason: string } | null = () => null,
): Promise<Transport> {
  const transport = toTransport(socket);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", ({ message }) => {
      const refusal = explain();
      const reason = refusal?.reason ?? message ?? "the connection was refused";
      const status = refusal?.status ?? null;
      reject(new ConnectionError("refused", `cannot connect to ${url}: ${reason}`, { status }));
    });
  });
  return transport;
}

function toTransport(socket: StandardWebSocket): Transport {
  return {
    start(receiver) {
      let failure: string | null = null;
      socket.addEventListener("message", ({ data }) => receiver.message(String(data)));
      socket.addEventListener("error", ({ message }) => {
        failure = message ?? "unknown";
      });
      socket.addEventListener("close", ({ reason }) =>
        receiver.closed(toCloseReason(failure ?? reason ?? "")),
      );
    },
    send: (text) => socket.send(text),
    close: () => socket.close(),
  };
}

const toCloseReason = (message: string): CloseReason =>
  message === "" ? { kind: "ended" } : { kind: "failed", message };
