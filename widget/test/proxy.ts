/** A proxy between the client and the server that cuts its first line where a test wants it cut. */

import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Cut {
  /** Of a stream, how many are passed on whole. */
  readonly events: number;
  /** How many more bytes are. */
  readonly bytes: number;
}

export interface Proxy {
  readonly url: string;
  /** How many lines there have been. */
  readonly lines: () => number;
  /** Waits until nobody is on the line any more. */
  readonly isQuiet: () => Promise<void>;
  readonly close: () => void;
}

/** Only the first lines are cut, as often as there are cuts. */
export async function cutting(target: string, ...cuts: readonly Cut[]): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let lines = 0;
  const server = createServer((client) => {
    const behind = connect(Number(port), hostname);
    const cut = cuts[lines++];
    for (const socket of [client, behind]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => (client.destroy(), behind.destroy(), sockets.delete(socket)));
    }
    client.pipe(behind);
    if (cut) passUntil(cut, behind, client);
    else behind.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines: () => lines,
    async isQuiet() {
      while (sockets.size) await Promise.all([...sockets].map((socket) => once(socket, "close")));
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The line is ended in good order behind what is passed on, as by a proxy that is restarted. */
function passUntil(cut: Cut, behind: Socket, client: Socket): void {
  let events = 0;
  let bytes = 0;
  let passed = "";
  const isOver = (): boolean => events === cut.events && bytes === cut.bytes;
  behind.on("data", (said) => {
    let place = 0;
    for (; place < said.length && !isOver(); place++) {
      if (events === cut.events) bytes++;
      passed = passed.slice(-2) + String.fromCharCode(said[place] ?? 0);
      if (passed === END_OF_EVENT && events < cut.events) events++;
    }
    client.write(said.subarray(0, place));
    if (isOver()) client.end(() => behind.destroy());
  });
  if (isOver()) client.end(() => behind.destroy());
}

/** And of no comment. */
const END_OF_EVENT = "}\n\n";
