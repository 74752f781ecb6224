import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat, type Turn } from "../src/chat";
import { Glossator } from "../src/client";
import { type Memory, localMemory, noMemory } from "../src/memory";
import { cutting } from "./proxy";
import { FakeStorage, given, keyed, open, QUESTION, soon, until, withStorage } from "./scene";

const SLOW = given("SLOW");
const WHOLE = 4;

function begin(client: Glossator = open(), memory: Memory = memoryOfAPage(), remember = true): Chat {
  return new Chat(client, memory, { remember });
}

function memoryOfAPage(): Memory {
  withStorage(new FakeStorage());
  return localMemory(given("OPEN"));
}

const isDone = ({ state }: Turn): boolean => state === "done";
const hasClaim = ({ claims }: Turn): boolean => claims.length > 0;

test("a question goes its way: asked, told by sentence, done", async () => {
  const chat = begin(open(SLOW));
  const seen: string[] = [];
  const sentences: string[] = [];
  let ended: Turn | undefined;
  chat.addEventListener("change", ({ detail }) => seen.push(detail.turn?.stage ?? detail.turn?.state ?? "list"));
  chat.addEventListener("sentence", ({ detail }) => sentences.push(detail.text));
  chat.addEventListener("end", ({ detail }) => (ended = detail.turn));
  assert(chat.ask(`  ${QUESTION} `, null));
  const turn = await until(chat, isDone);
  await soon(chat, () => ended);
  assert.deepEqual([...new Set(seen)], ["list", "asking", "searching", "writing", "checking", "done"]);
  assert.equal(turn.question, QUESTION);
  assert.deepEqual(sentences, turn.claims.map(({ text }) => text.trim()));
  assert.equal(sentences.length, WHOLE);
  assert.equal(ended, turn);
  assert(turn.hits.length > 0);
  assert.equal(turn.stage, null);
});

test("what the book does not say is read to the reader too", async () => {
  const chat = begin();
  const sentences: string[] = [];
  chat.addEventListener("sentence", ({ detail }) => sentences.push(detail.text));
  chat.ask("Which composer wrote the most operas?", null);
  const { answer } = await until(chat, isDone);
  assert.equal(answer?.outcome, "not_in_book");
  assert.deepEqual(sentences, [answer.text]);
});

test("three questions wait behind the one that is asked, in order, and a fourth is not taken", async () => {
  const chat = begin(open(SLOW));
  const questions = ["first", "second", "third", "fourth"].map((word) => `${QUESTION} The ${word} time.`);
  for (const question of questions) assert(chat.ask(question, null));
  assert.equal(chat.canAsk, false);
  assert.equal(chat.ask("One too many?", null), false);
  assert.deepEqual(chat.turns.map(({ state }) => state), ["asking", "queued", "queued", "queued"]);
  chat.drop(chat.turns[2]?.key ?? 0);
  assert(chat.canAsk);
  await soon(chat, () => chat.turns.every(isDone));
  assert.deepEqual(chat.turns.map(({ question }) => question), questions.toSpliced(2, 1));
});

test("nothing is asked where nothing was said", () => {
  const chat = begin();
  assert.equal(chat.ask(" \n\u0000 ", null), false);
  assert.deepEqual(chat.turns, []);
});

test("marked words go along, whatever a page put into them", async () => {
  const chat = begin();
  const text = `A gripper\u0000 closes with forty newtons. ${"x".repeat(9_958)}\ud83d\ude00 and more`;
  chat.ask("How strong does the gripper close?", { text, only: true, pageUrl: `https://book.example/${"x".repeat(3000)}` });
  const { answer, selection } = await until(chat, isDone);
  assert.match(answer?.text ?? "", /forty newtons/);
  assert.equal(selection?.text, text);
});

test("stop keeps what was told, the server breaks off, and the next question is asked", async () => {
  const chat = begin(open(given("HASTY")));
  chat.ask(QUESTION, null);
  chat.ask(`${QUESTION} Again.`, null);
  await until(chat, hasClaim);
  chat.stop();
  const stopped = await until(chat, ({ state }) => state === "stopped");
  assert(stopped.claims.length > 0 && stopped.claims.length < WHOLE);
  await until(chat, isDone);
  const told = chat.turns[0];
  assert.deepEqual(told, stopped);
  const copy = begin(open(given("HASTY")), localMemory(given("OPEN")));
  await copy.restore();
  assert.deepEqual(copy.turns.map(({ question }) => question), [`${QUESTION} Again.`]);
});

test("what is answered already cannot be stopped", async () => {
  const chat = begin(open(SLOW));
  let ended = 0;
  chat.addEventListener("change", ({ detail }) => detail.turn?.state === "done" && chat.stop());
  chat.addEventListener("end", () => ended++);
  chat.ask(QUESTION, null);
  await soon(chat, () => ended);
  assert.equal(chat.turns[0]?.state, "done");
});

test("what was stopped is asked again, and shows what it had until there is something new", async () => {
  const chat = begin(open(SLOW));
  const counts: number[] = [];
  chat.ask(QUESTION, null);
  const { key } = await soon(chat, () => chat.turns.find(({ claims }) => claims.length === 2));
  chat.addEventListener("change", ({ detail }) => counts.push(detail.turn?.claims.length ?? 0));
  chat.stop();
  await until(chat, ({ state }) => state === "stopped");
  chat.retry(key);
  const turn = await until(chat, isDone);
  assert.equal(turn.key, key);
  assert.deepEqual(counts, counts.toSorted((one, other) => one - other));
  assert.equal(turn.claims.length, WHOLE);
});

test("a dropped line shows, and is taken up again", async () => {
  const proxy = await cutting(SLOW, { events: 6, bytes: 5 });
  const chat = begin(open(proxy.url));
  const sentences: string[] = [];
  chat.addEventListener("sentence", ({ detail }) => sentences.push(detail.text));
  chat.ask(QUESTION, null);
  const dropped = await until(chat, ({ stage }) => stage === "reconnecting");
  assert.deepEqual([dropped.state, dropped.claims.length], ["asking", 2]);
  const turn = await until(chat, isDone);
  assert.deepEqual(sentences, turn.claims.map(({ text }) => text.trim()));
  proxy.close();
});

test("who is offline is told, keeps what there was, and asks again when they like without asking twice", async () => {
  const everyLine = Array.from({ length: 5 }, () => ({ events: 0, bytes: 0 }));
  const proxy = await cutting(SLOW, { events: 6, bytes: 0 }, ...everyLine);
  const chat = begin(open(proxy.url));
  chat.ask(QUESTION, null);
  const failed = await until(chat, ({ state }) => state === "failed");
  assert.deepEqual([failed.failure?.kind, failed.claims.length], ["offline", 2]);
  assert.equal(proxy.lines(), 4);
  chat.retry(failed.key);
  chat.retry(failed.key);
  await until(chat, isDone);
  const copy = begin(open(SLOW), localMemory(given("OPEN")));
  await copy.restore();
  assert.equal(copy.turns.length, 1);
  proxy.close();
});

/** Says no as often as it is told to, then lets everything through. */
function sayingNo(times: number, status: number, body: object): { readonly client: Glossator; readonly asked: () => number } {
  let asked = 0;
  const call: typeof fetch = (url, init) =>
    asked++ < times ? Promise.resolve(Response.json(body, { status })) : fetch(url, init);
  return { client: new Glossator({ server: given("OPEN"), fetch: call }), asked: () => asked };
}

const LIMITED = { status: 429, code: "rate_limited", detail: "", retryable: true, retry_after: 1, trace_id: "abc" };
const OVERLOADED = { ...LIMITED, status: 503, code: "overloaded" };

for (const [problem, kind] of [[LIMITED, "limited"], [OVERLOADED, "busy"]] as const) {
  test(`a question that is turned away for now waits, and is asked again by itself: ${kind}`, async () => {
    const { client, asked } = sayingNo(1, problem.status, problem);
    const chat = begin(client);
    const before = Date.now();
    chat.ask(QUESTION, null);
    const { failure } = await until(chat, ({ state }) => state === "waiting");
    assert.equal(failure?.kind, kind);
    assert(failure?.retryAt && failure.retryAt >= before + 1000);
    const turn = await until(chat, isDone);
    assert.equal(turn.failure, null);
    assert.equal(asked(), 2);
  });
}

test("it is asked again three times, and then it has failed", async () => {
  const { client, asked } = sayingNo(9, 429, LIMITED);
  const chat = begin(client);
  chat.ask(QUESTION, null);
  const { failure } = await until(chat, ({ state }) => state === "failed");
  assert.deepEqual([failure?.kind, failure?.retryAt, asked()], ["limited", null, 4]);
});

test("who does not want to wait asks at once, or not at all", async () => {
  const { client, asked } = sayingNo(2, 429, { ...LIMITED, retry_after: 100 });
  const chat = begin(client);
  chat.ask(QUESTION, null);
  const { key } = await until(chat, ({ state }) => state === "waiting");
  chat.retry(key);
  await soon(chat, () => asked() === 2 && chat.turns[0]?.state === "waiting");
  chat.stop();
  await until(chat, ({ state }) => state === "stopped");
  chat.retry(key);
  await until(chat, isDone);
  assert.equal(asked(), 3);
});

test("what will not pass soon is not waited for", async () => {
  const chat = begin(sayingNo(1, 503, { ...OVERLOADED, retry_after: 3600 }).client);
  chat.ask(QUESTION, null);
  assert.equal((await until(chat, ({ state }) => state === "failed")).failure?.kind, "busy");
});

for (const [status, code, kind] of [
  [401, "unauthorized", "unauthorized"],
  [403, "forbidden", "unauthorized"],
  [413, "too_large", "too_long"],
  [503, "no_book", "no_book"],
  [500, "internal", "server"],
] as const) {
  test(`${code} fails at once, as ${kind}`, async () => {
    const { client, asked } = sayingNo(9, status, { status, code, detail: "", retryable: false, trace_id: "t" });
    const chat = begin(client);
    chat.ask(QUESTION, null);
    const { failure } = await until(chat, ({ state }) => state === "failed");
    assert.deepEqual([failure, asked()], [{ kind, retryAt: null }, 1]);
  });
}

test("a wrong key is told by a real server too", async () => {
  const chat = begin(keyed(undefined, "pk_wrong"));
  chat.ask(QUESTION, null);
  assert.equal((await until(chat, ({ state }) => state === "failed")).failure?.kind, "unauthorized");
});

test("a conversation is restored on return, and goes on", async () => {
  const memory = memoryOfAPage();
  const chat = begin(keyed(), memory);
  chat.ask(QUESTION, { text: "A topic is a named stream.", only: false, pageUrl: "https://book.example/topics" });
  const { answer } = await until(chat, isDone);
  const returned = begin(keyed(), memory);
  const restoring = returned.restore();
  returned.ask("And who sends messages to it?", null);
  assert.equal(returned.turns[0]?.state, "queued");
  await restoring;
  const [before, now] = returned.turns;
  assert.deepEqual([before?.question, before?.state, before?.answer?.id], [QUESTION, "done", answer?.id]);
  assert.equal(before?.selection?.text, "A topic is a named stream.");
  assert.deepEqual(before?.claims, answer?.claims);
  await until(returned, ({ key, state }) => key === now?.key && state === "done");
  assert.equal((await keyed().session(memory.read()?.session ?? { id: "none" })).exchanges.length, 2);
});

for (const [name, ruin] of [
  ["a token that has run out", ({ id }: { id: string }) => ({ id, token: "x".repeat(64) })],
  ["a session that the server forgot", () => ({ id: "nobody-knows-it", token: null })],
] as const) {
  test(`${name} opens another session silently`, async () => {
    const memory = memoryOfAPage();
    const chat = begin(keyed(), memory);
    chat.ask(QUESTION, null);
    await until(chat, isDone);
    const session = memory.read()?.session;
    assert(session);
    memory.write({ session: ruin(session) });
    const returned = begin(keyed(), memory);
    returned.ask(QUESTION, null);
    assert.equal((await until(returned, isDone)).failure, null);
    assert.notEqual(memory.read()?.session?.id, session.id);
    memory.write({ session: ruin(session) });
    const again = begin(keyed(), memory);
    await again.restore();
    assert.deepEqual([again.turns, memory.read()?.session], [[], null]);
  });
}

test("while the server cannot be reached nothing is restored, and nothing is forgotten", async () => {
  const memory = memoryOfAPage();
  const session = { id: "mine", token: null };
  memory.write({ session });
  const chat = begin(open("http://127.0.0.1:9"), memory);
  await chat.restore();
  assert.deepEqual([chat.turns, memory.read()?.session], [[], session]);
});

test("two tabs go on with one conversation, each with the newest token of both", async () => {
  const memory = memoryOfAPage();
  const sent: (string | null)[] = [];
  const client = keyed();
  const watching = new Proxy(client, {
    get: (target, name) =>
      name === "ask"
        ? (...[asking, options]: Parameters<Glossator["ask"]>) => {
            sent.push(asking.session?.token ?? null);
            return target.ask(asking, options);
          }
        : Reflect.get(target, name).bind(target),
  });
  const one = begin(watching, memory);
  one.ask(QUESTION, null);
  await until(one, isDone);
  const other = begin(watching, localMemory(given("OPEN")));
  other.ask(QUESTION, null);
  await until(other, isDone);
  const newest = memory.read()?.session?.token ?? null;
  memory.write({ draft: "half a thought" });
  one.ask(QUESTION, null);
  await soon(one, () => one.turns.length === 2 && one.turns.every(isDone));
  assert.deepEqual([sent[0], sent[2]], [null, newest]);
  assert.equal(memory.read()?.draft, "half a thought");
  assert.equal((await client.session(memory.read()?.session ?? { id: "none" })).exchanges.length, 3);
});

test("an answer is judged, and the judgement is taken back where the server does not take it", async () => {
  const memory = memoryOfAPage();
  const chat = begin(keyed(), memory);
  chat.ask(QUESTION, null);
  const { key } = await until(chat, isDone);
  await chat.judge(key, false, "too short");
  assert.equal(chat.turns[0]?.judged, false);
  memory.write({ session: { id: memory.read()?.session?.id ?? "", token: "wrong" } });
  await assert.rejects(chat.judge(key, true, ""), { status: 404 });
  assert.equal(chat.turns[0]?.judged, false);
});

test("a new conversation knows nothing of the old one, and what runs is broken off", async () => {
  const memory = memoryOfAPage();
  const chat = begin(open(SLOW), memory);
  chat.ask(QUESTION, null);
  chat.ask(QUESTION, null);
  await until(chat, hasClaim);
  chat.clear();
  assert.deepEqual([chat.turns, memory.read()?.session], [[], null]);
  chat.ask(QUESTION, null);
  await until(chat, isDone);
  assert.equal(chat.turns.length, 1);
  assert.equal((await open(SLOW).session(memory.read()?.session ?? { id: "none" })).exchanges.length, 1);
});

test("who wants to leave nothing behind leaves nothing", async () => {
  const sent: string[] = [];
  const client = new Glossator({
    server: given("OPEN"),
    fetch: (url, init) => (sent.push(String(init?.body)), fetch(url, init)),
  });
  Object.defineProperty(globalThis, "localStorage", { get: () => assert.fail("it looked"), configurable: true });
  const chat = begin(client, noMemory(), false);
  await chat.restore();
  chat.ask(QUESTION, null);
  await until(chat, isDone);
  chat.ask("And who sends messages to it?", null);
  await soon(chat, () => chat.turns.length === 2 && chat.turns.every(isDone));
  assert.deepEqual(sent.map((body) => [JSON.parse(body).remember, JSON.parse(body).session]), [
    [false, null],
    [false, null],
  ]);
  chat.clear();
  assert.deepEqual(chat.turns, []);
});

test("storage that is full of something else, or forbidden, does no harm", () => {
  const storage = new FakeStorage();
  withStorage(storage);
  const memory = localMemory("s");
  for (const text of ["{", "null", "7", "[]"]) {
    storage.kept.set("glossator:s", text);
    assert.equal(memory.read()?.session ?? null, null, text);
    memory.write({ isOpen: true });
    assert.deepEqual(memory.read(), { session: null, isOpen: true, draft: "" });
  }
  Object.defineProperty(globalThis, "localStorage", { get: () => assert.fail("forbidden"), configurable: true });
  memory.write({ draft: "x" });
  assert.equal(memory.read(), null);
});
