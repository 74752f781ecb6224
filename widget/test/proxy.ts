/** A proxy between client and server that cuts connections where a test wants it. */

import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Cut {
  /** How many whole events are passed on. */
  readonly events: number;
  /** How many bytes are passed on after them. */
  readonly bytes: number;
}

export interface Proxy {
  readonly url: string;
  /** How many connections there have been. */
  readonly connections: () => number;
  /** Waits until every connection is closed. */
  readonly allClosed: () => Promise<void>;
  readonly close: () => void;
}

/** Each cut applies to one connection, in order; later connections are not cut. */
export async function cutting(target: string, ...cuts: readonly Cut[]): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const cut = cuts[connections++];
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => (client.destroy(), upstream.destroy(), sockets.delete(socket)));
    }
    client.pipe(upstream);
    if (cut) passUntil(cut, upstream, client);
    else upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    async allClosed() {
      while (sockets.size) await Promise.all([...sockets].map((socket) => once(socket, "close")));
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Closes the connection in an orderly way, as a proxy does that is restarted. */
function passUntil(cut: Cut, upstream: Socket, client: Socket): void {
  let events = 0;
  let bytes = 0;
  let tail = "";
  const isOver = (): boolean => events === cut.events && bytes === cut.bytes;
  upstream.on("data", (chunk) => {
    let index = 0;
    for (; index < chunk.length && !isOver(); index++) {
      if (events === cut.events) bytes++;
      tail = tail.slice(-2) + String.fromCharCode(chunk[index] ?? 0);
      if (tail === END_OF_EVENT && events < cut.events) events++;
    }
    client.write(chunk.subarray(0, index));
    if (isOver()) client.end(() => upstream.destroy());
  });
  if (isOver()) client.end(() => upstream.destroy());
}

/** A comment, such as a heartbeat, does not end with a brace. */
const END_OF_EVENT = "}\n\n";
