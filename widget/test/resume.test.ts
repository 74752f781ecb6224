import assert from "node:assert/strict";
import { test } from "node:test";
import { type AskEvent, Glossator, LineDropped } from "../src/client";
import type { SessionProof } from "../src/told";
import { type Cut, cutting } from "./proxy";
import { all, given, keyed, open, QUESTION, shape } from "./scene";

/** The model does not say a word to it. */
const IN_SILENCE = "What is a node?";
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

/** A key that everybody has proves nothing: the server begins again, and the client passes over what it has. */
const KINDS: readonly Kind[] = [
  { server: given("SLOW"), client: open },
  { server: given("KEYED"), client: (server) => keyed(server) },
];

for (const { server, client } of KINDS) {
  test(`a line that is cut at any place loses nothing and tells nothing twice: ${client.name}`, async () => {
    const uncut = await all(client(server).ask({ question: QUESTION }));
    assert.equal(uncut.length, EVENTS);
    await Promise.all(CUTS.map((cut) => isHeardThrough(cut, uncut, { server, client })));
  });
}

async function isHeardThrough(cut: Cut, uncut: readonly AskEvent[], { server, client }: Kind): Promise<void> {
  const proxy = await cutting(server, cut);
  let drops = 0;
  const events = await all(client(proxy.url).ask({ question: QUESTION }, { onDrop: () => drops++ }));
  const where = JSON.stringify(cut);
  proxy.close();
  assert.deepEqual(told(events), told(uncut), where);
  assert.deepEqual(stages(uncut).filter((one) => stages(events).includes(one)), stages(events), where);
  assert.equal(drops, cut.events === EVENTS ? 0 : 1, where);
  assert.equal(events.at(-1)?.type, "answer", where);
  const session = events.map(sessionOf).find((one) => one !== null);
  if (session) assert.equal((await client(server).session(session)).exchanges.length, 1, where);
  else assert(client !== open && cut.events === 0, `${where}: only who had a token is told it again`);
}

function sessionOf(event: AskEvent): SessionProof | null {
  if (event.type === "answer") return event.answer.session ?? null;
  return event.type === "status" ? (event.session ?? null) : null;
}

/** The sentences and the answer. */
function told(events: readonly AskEvent[]): readonly string[] {
  return shape(events.filter(({ type }) => type === "claim" || type === "answer" || type === "restart"));
}

/** What else is heard; what comes from the records does not have it any more. */
function stages(events: readonly AskEvent[]): readonly string[] {
  return shape(events.filter(({ type }) => type === "status" || type === "found"));
}

test("every new sentence makes the patience good again", async () => {
  const everyEvent = Array.from({ length: 6 }, () => ({ events: 1, bytes: 0 }));
  const proxy = await cutting(given("SLOW"), ...everyEvent);
  const events = await all(open(proxy.url).ask({ question: QUESTION }));
  proxy.close();
  assert.equal(proxy.lines(), 7);
  assert.deepEqual(told(events), told(await all(open(given("SLOW")).ask({ question: QUESTION }))));
});

test("a line that never gets further is given up", async () => {
  const proxy = await cutting(given("OPEN"), ...Array.from({ length: 9 }, () => ({ events: 0, bytes: 50 })));
  await assert.rejects(all(open(proxy.url).ask({ question: QUESTION })), LineDropped);
  assert.equal(proxy.lines(), 5, "four times to ask, and once to see whether the server is there at all");
  proxy.close();
});

test("an answer that the server broke off meanwhile begins again, and says so", async () => {
  const proxy = await cutting(given("HASTY"), { events: 6, bytes: 0 });
  const events = shape(await all(open(proxy.url).ask({ question: QUESTION })));
  proxy.close();
  const whole = shape(await all(open(given("HASTY")).ask({ question: QUESTION })));
  const restart = events.indexOf("restart");
  assert.deepEqual(events.slice(0, restart), whole.slice(0, 6));
  assert.deepEqual(events.slice(restart + 1), whole);
});

test("a line that is silent for too long counts as dropped", async () => {
  const client = new Glossator({ server: given("SLOW"), silenceSeconds: 0.7 });
  let drops = 0;
  const asked = all(client.ask({ question: IN_SILENCE }, { onDrop: () => drops++ }));
  await assert.rejects(asked, LineDropped);
  assert.equal(drops, 3);
});

test("a line with signs of life does not, however long nothing is said", async () => {
  const client = new Glossator({ server: given("HASTY"), silenceSeconds: 2.5 });
  const onDrop = (): never => assert.fail("it dropped");
  const asked = all(client.ask({ question: IN_SILENCE }, { onDrop, signal: AbortSignal.timeout(6000) }));
  await assert.rejects(asked, { name: "TimeoutError" });
});

test("leaving the loop hangs up", async () => {
  const proxy = await cutting(given("SLOW"));
  for await (const event of open(proxy.url).ask({ question: QUESTION })) {
    if (event.type === "claim") break;
  }
  assert.equal(proxy.lines(), 1);
  await proxy.isQuiet();
  proxy.close();
});
