import assert from "node:assert/strict";
import { test } from "node:test";
import { type AskEvent, ConnectionError, Glossator, type SessionProof } from "../src/client";
import { all, environment, keyed, open, QUESTION, shape } from "./fixtures";
import { type Cut, cutting } from "./proxy";

/** The model server never answers this question. */
const SILENT_QUESTION = "What is a node?";
const EVENTS = 9;
const AT_THE_START: readonly Cut[] = [0, 20, 200].map((bytes) => ({ events: 0, bytes }));
const CUTS: readonly Cut[] = [
  ...AT_THE_START,
  ...Array.from({ length: EVENTS }, (_, events) => [0, 1, 30].map((bytes) => ({ events: events + 1, bytes }))).flat(),
];

interface Kind {
  readonly server: string;
  readonly client: (server: string) => Glossator;
}

/** With a publishable key the server cannot resume and sends everything again; the client skips what it has. */
const KINDS: readonly Kind[] = [
  { server: environment("SLOW"), client: open },
  { server: environment("KEYED"), client: (server) => keyed(server) },
];

for (const { server, client } of KINDS) {
  test(`a connection that is cut anywhere loses nothing and repeats nothing: ${client.name}`, async () => {
    const uncut = await all(client(server).ask({ question: QUESTION }));
    assert.equal(uncut.length, EVENTS);
    await Promise.all(CUTS.map((cut) => survives(cut, uncut, { server, client })));
  });
}

async function survives(cut: Cut, uncut: readonly AskEvent[], { server, client }: Kind): Promise<void> {
  const proxy = await cutting(server, cut);
  let drops = 0;
  const events = await all(client(proxy.url).ask({ question: QUESTION }, { onDrop: () => drops++ }));
  const where = JSON.stringify(cut);
  proxy.close();
  assert.deepEqual(contentOf(events), contentOf(uncut), where);
  assert.deepEqual(progressOf(uncut).filter((event) => progressOf(events).includes(event)), progressOf(events), where);
  assert.equal(drops, cut.events === EVENTS ? 0 : 1, where);
  assert.equal(events.at(-1)?.type, "answer", where);
  const session = events.map(sessionOf).find((session) => session !== null);
  if (session) assert.equal((await client(server).getSession(session)).exchanges.length, 1, where);
  else assert(client !== open && cut.events === 0, `${where}: only a client with a token gets it again`);
}

function sessionOf(event: AskEvent): SessionProof | null {
  if (event.type === "answer") return event.answer.session ?? null;
  return event.type === "status" ? (event.session ?? null) : null;
}

/** Claims, restarts and the answer. */
function contentOf(events: readonly AskEvent[]): readonly string[] {
  return shape(events.filter(({ type }) => type === "claim" || type === "answer" || type === "restart"));
}

/** The other events; an answer that is read from the records comes without them. */
function progressOf(events: readonly AskEvent[]): readonly string[] {
  return shape(events.filter(({ type }) => type === "status" || type === "found"));
}

test("a new claim resets the retries", async () => {
  const everyEvent = Array.from({ length: 6 }, () => ({ events: 1, bytes: 0 }));
  const proxy = await cutting(environment("SLOW"), ...everyEvent);
  const events = await all(open(proxy.url).ask({ question: QUESTION }));
  proxy.close();
  assert.equal(proxy.connections(), 7);
  assert.deepEqual(contentOf(events), contentOf(await all(open(environment("SLOW")).ask({ question: QUESTION }))));
});

test("a connection that makes no progress fails", async () => {
  const proxy = await cutting(environment("OPEN"), ...Array.from({ length: 9 }, () => ({ events: 0, bytes: 50 })));
  await assert.rejects(all(open(proxy.url).ask({ question: QUESTION })), ConnectionError);
  assert.equal(proxy.connections(), 5, "four requests, and one to see whether the server is alive");
  proxy.close();
});

test("an answer that the server has aborted meanwhile restarts with an event", async () => {
  const proxy = await cutting(environment("HASTY"), { events: 6, bytes: 0 });
  const events = shape(await all(open(proxy.url).ask({ question: QUESTION })));
  proxy.close();
  const whole = shape(await all(open(environment("HASTY")).ask({ question: QUESTION })));
  const restart = events.indexOf("restart");
  assert.deepEqual(events.slice(0, restart), whole.slice(0, 6));
  assert.deepEqual(events.slice(restart + 1), whole);
});

test("a silent connection counts as dropped after the timeout", async () => {
  const client = new Glossator({ server: environment("SLOW"), idleTimeoutSeconds: 0.7 });
  let drops = 0;
  const answer = all(client.ask({ question: SILENT_QUESTION }, { onDrop: () => drops++ }));
  await assert.rejects(answer, ConnectionError);
  assert.equal(drops, 3);
});

test("heartbeats keep a connection alive", async () => {
  const client = new Glossator({ server: environment("HASTY"), idleTimeoutSeconds: 2.5 });
  const onDrop = (): never => assert.fail("it dropped");
  const answer = all(client.ask({ question: SILENT_QUESTION }, { onDrop, signal: AbortSignal.timeout(6000) }));
  await assert.rejects(answer, { name: "TimeoutError" });
});

test("leaving the loop closes the connection", async () => {
  const proxy = await cutting(environment("SLOW"));
  for await (const event of open(proxy.url).ask({ question: QUESTION })) {
    if (event.type === "claim") break;
  }
  assert.equal(proxy.connections(), 1);
  await proxy.allClosed();
  proxy.close();
});
