import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat, type Turn } from "../src/chat";
import { Glossator } from "../src/client";
import { browserStorage, type ChatStorage, noStorage } from "../src/storage";
import { environment, FakeStorage, keyed, open, QUESTION, untilTrue, untilTurn, withStorage } from "./fixtures";
import { cutting } from "./proxy";

const SLOW = environment("SLOW");
const SENTENCES = 4;

function begin(client: Glossator = open(), storage: ChatStorage = newStorage(), remember = true): Chat {
  return new Chat(client, storage, { remember });
}

function newStorage(): ChatStorage {
  withStorage(new FakeStorage());
  return browserStorage(environment("OPEN"));
}

const isDone = ({ state }: Turn): boolean => state === "done";
const hasClaim = ({ claims }: Turn): boolean => claims.length > 0;

test("a turn goes from asking over its stages to done, and each sentence is an event", async () => {
  const chat = begin(open(SLOW));
  const states: string[] = [];
  const sentences: string[] = [];
  let ended: Turn | undefined;
  chat.addEventListener("change", ({ detail }) => states.push(detail.turn?.stage ?? detail.turn?.state ?? "list"));
  chat.addEventListener("sentence", ({ detail }) => sentences.push(detail.text));
  chat.addEventListener("end", ({ detail }) => (ended = detail.turn));
  assert(chat.ask(`  ${QUESTION} `, null));
  const turn = await untilTurn(chat, isDone);
  await untilTrue(chat, () => ended);
  assert.deepEqual([...new Set(states)], ["list", "asking", "searching", "writing", "checking", "done"]);
  assert.equal(turn.question, QUESTION);
  assert.deepEqual(sentences, turn.claims.map(({ text }) => text.trim()));
  assert.equal(sentences.length, SENTENCES);
  assert.equal(ended, turn);
  assert(turn.hits.length > 0);
  assert.equal(turn.stage, null);
});

test("a refusal is a sentence event too", async () => {
  const chat = begin();
  const sentences: string[] = [];
  chat.addEventListener("sentence", ({ detail }) => sentences.push(detail.text));
  chat.ask("Which composer wrote the most operas?", null);
  const { answer } = await untilTurn(chat, isDone);
  assert.equal(answer?.outcome, "not_in_book");
  assert.deepEqual(sentences, [answer.text]);
});

test("three questions can be queued, and are asked in order", async () => {
  const chat = begin(open(SLOW));
  const questions = ["first", "second", "third", "fourth"].map((ordinal) => `${QUESTION} The ${ordinal} time.`);
  for (const question of questions) assert(chat.ask(question, null));
  assert.equal(chat.canAsk, false);
  assert.equal(chat.ask("One too many?", null), false);
  assert.deepEqual(chat.turns.map(({ state }) => state), ["asking", "queued", "queued", "queued"]);
  chat.cancel(chat.turns[2]?.key ?? 0);
  assert(chat.canAsk);
  await untilTrue(chat, () => chat.turns.every(isDone));
  assert.deepEqual(chat.turns.map(({ question }) => question), questions.toSpliced(2, 1));
});

test("an empty question is not asked", () => {
  const chat = begin();
  assert.equal(chat.ask(" \n\u0000 ", null), false);
  assert.deepEqual(chat.turns, []);
});

test("selected text is sent, without characters that the server rejects", async () => {
  const chat = begin();
  const text = `A gripper\u0000 closes with forty newtons. ${"x".repeat(9_958)}\ud83d\ude00 and more`;
  chat.ask("How strong does the gripper close?", { text, only: true, pageUrl: `https://book.example/${"x".repeat(3000)}` });
  const { answer, selection } = await untilTurn(chat, isDone);
  assert.match(answer?.text ?? "", /forty newtons/);
  assert.equal(selection?.text, text);
});

test("stop keeps the claims, aborts the answer on the server, and the next question is asked", async () => {
  const chat = begin(open(environment("HASTY")));
  chat.ask(QUESTION, null);
  chat.ask(`${QUESTION} Again.`, null);
  await untilTurn(chat, hasClaim);
  chat.stop();
  const stopped = await untilTurn(chat, ({ state }) => state === "stopped");
  assert(stopped.claims.length > 0 && stopped.claims.length < SENTENCES);
  await untilTurn(chat, isDone);
  assert.deepEqual(chat.turns[0], stopped);
  const copy = begin(open(environment("HASTY")), browserStorage(environment("OPEN")));
  await copy.restore();
  assert.deepEqual(copy.turns.map(({ question }) => question), [`${QUESTION} Again.`]);
});

test("a turn that is done cannot be stopped", async () => {
  const chat = begin(open(SLOW));
  let ended = 0;
  chat.addEventListener("change", ({ detail }) => detail.turn?.state === "done" && chat.stop());
  chat.addEventListener("end", () => ended++);
  chat.ask(QUESTION, null);
  await untilTrue(chat, () => ended);
  assert.equal(chat.turns[0]?.state, "done");
});

test("a stopped turn can be retried, and shows its old claims until there are new ones", async () => {
  const chat = begin(open(SLOW));
  const counts: number[] = [];
  chat.ask(QUESTION, null);
  const { key } = await untilTrue(chat, () => chat.turns.find(({ claims }) => claims.length === 2));
  chat.addEventListener("change", ({ detail }) => counts.push(detail.turn?.claims.length ?? 0));
  chat.stop();
  await untilTurn(chat, ({ state }) => state === "stopped");
  chat.retry(key);
  const turn = await untilTurn(chat, isDone);
  assert.equal(turn.key, key);
  assert.deepEqual(counts, counts.toSorted((a, b) => a - b));
  assert.equal(turn.claims.length, SENTENCES);
});

test("a dropped connection shows as reconnecting, and the answer continues", async () => {
  const proxy = await cutting(SLOW, { events: 6, bytes: 5 });
  const chat = begin(open(proxy.url));
  const sentences: string[] = [];
  chat.addEventListener("sentence", ({ detail }) => sentences.push(detail.text));
  chat.ask(QUESTION, null);
  const dropped = await untilTurn(chat, ({ stage }) => stage === "reconnecting");
  assert.deepEqual([dropped.state, dropped.claims.length], ["asking", 2]);
  const turn = await untilTurn(chat, isDone);
  assert.deepEqual(sentences, turn.claims.map(({ text }) => text.trim()));
  proxy.close();
});

test("an offline turn fails with its claims, and a retry does not ask twice", async () => {
  const everyConnection = Array.from({ length: 5 }, () => ({ events: 0, bytes: 0 }));
  const proxy = await cutting(SLOW, { events: 6, bytes: 0 }, ...everyConnection);
  const chat = begin(open(proxy.url));
  chat.ask(QUESTION, null);
  const failed = await untilTurn(chat, ({ state }) => state === "failed");
  assert.deepEqual([failed.failure?.kind, failed.claims.length], ["offline", 2]);
  assert.equal(proxy.connections(), 4);
  chat.retry(failed.key);
  chat.retry(failed.key);
  await untilTurn(chat, isDone);
  const copy = begin(open(SLOW), browserStorage(environment("OPEN")));
  await copy.restore();
  assert.equal(copy.turns.length, 1);
  proxy.close();
});

/** A client whose first requests fail with this error. */
function failing(
  times: number,
  status: number,
  body: object,
): { readonly client: Glossator; readonly requests: () => number } {
  let requests = 0;
  const call: typeof fetch = (url, init) =>
    requests++ < times ? Promise.resolve(Response.json(body, { status })) : fetch(url, init);
  return { client: new Glossator({ server: environment("OPEN"), fetch: call }), requests: () => requests };
}

const LIMITED = { status: 429, code: "rate_limited", detail: "", retryable: true, retry_after: 1, trace_id: "abc" };
const OVERLOADED = { ...LIMITED, status: 503, code: "overloaded" };

for (const [problem, kind] of [[LIMITED, "limited"], [OVERLOADED, "busy"]] as const) {
  test(`a question that must wait is asked again automatically: ${kind}`, async () => {
    const { client, requests } = failing(1, problem.status, problem);
    const chat = begin(client);
    const before = Date.now();
    chat.ask(QUESTION, null);
    const { failure } = await untilTurn(chat, ({ state }) => state === "waiting");
    assert.equal(failure?.kind, kind);
    assert(failure?.retryAt && failure.retryAt >= before + 1000);
    const turn = await untilTurn(chat, isDone);
    assert.equal(turn.failure, null);
    assert.equal(requests(), 2);
  });
}

test("a question fails after three automatic retries", async () => {
  const { client, requests } = failing(9, 429, LIMITED);
  const chat = begin(client);
  chat.ask(QUESTION, null);
  const { failure } = await untilTurn(chat, ({ state }) => state === "failed");
  assert.deepEqual([failure?.kind, failure?.retryAt, requests()], ["limited", null, 4]);
});

test("a waiting question can be retried at once, or stopped", async () => {
  const { client, requests } = failing(2, 429, { ...LIMITED, retry_after: 100 });
  const chat = begin(client);
  chat.ask(QUESTION, null);
  const { key } = await untilTurn(chat, ({ state }) => state === "waiting");
  chat.retry(key);
  await untilTrue(chat, () => requests() === 2 && chat.turns[0]?.state === "waiting");
  chat.stop();
  await untilTurn(chat, ({ state }) => state === "stopped");
  chat.retry(key);
  await untilTurn(chat, isDone);
  assert.equal(requests(), 3);
});

test("a long retry_after fails at once", async () => {
  const chat = begin(failing(1, 503, { ...OVERLOADED, retry_after: 3600 }).client);
  chat.ask(QUESTION, null);
  assert.equal((await untilTurn(chat, ({ state }) => state === "failed")).failure?.kind, "busy");
});

for (const [status, code, kind] of [
  [401, "unauthorized", "unauthorized"],
  [403, "forbidden", "unauthorized"],
  [413, "too_large", "too_long"],
  [503, "no_book", "no_book"],
  [500, "internal", "server"],
] as const) {
  test(`${code} fails at once, as ${kind}`, async () => {
    const { client, requests } = failing(9, status, { status, code, detail: "", retryable: false, trace_id: "t" });
    const chat = begin(client);
    chat.ask(QUESTION, null);
    const { failure } = await untilTurn(chat, ({ state }) => state === "failed");
    assert.deepEqual([failure, requests()], [{ kind, retryAt: null }, 1]);
  });
}

test("a real server rejects a wrong key as unauthorized", async () => {
  const chat = begin(keyed(undefined, "pk_wrong"));
  chat.ask(QUESTION, null);
  assert.equal((await untilTurn(chat, ({ state }) => state === "failed")).failure?.kind, "unauthorized");
});

test("a conversation is restored and continues", async () => {
  const storage = newStorage();
  const chat = begin(keyed(), storage);
  chat.ask(QUESTION, { text: "A topic is a named stream.", only: false, pageUrl: "https://book.example/topics" });
  const { answer } = await untilTurn(chat, isDone);
  const returned = begin(keyed(), storage);
  const restoring = returned.restore();
  returned.ask("And who sends messages to it?", null);
  assert.equal(returned.turns[0]?.state, "queued");
  await restoring;
  const [before, now] = returned.turns;
  assert.deepEqual([before?.question, before?.state, before?.answer?.id], [QUESTION, "done", answer?.id]);
  assert.equal(before?.selection?.text, "A topic is a named stream.");
  assert.deepEqual(before?.claims, answer?.claims);
  await untilTurn(returned, ({ key, state }) => key === now?.key && state === "done");
  assert.equal((await keyed().getSession(storage.read()?.session ?? { id: "none" })).exchanges.length, 2);
});

for (const [name, invalidate] of [
  ["an expired token", ({ id }: { id: string }) => ({ id, token: "x".repeat(64) })],
  ["a session that the server does not know", () => ({ id: "nobody-knows-it", token: null })],
] as const) {
  test(`${name} starts another session silently`, async () => {
    const storage = newStorage();
    const chat = begin(keyed(), storage);
    chat.ask(QUESTION, null);
    await untilTurn(chat, isDone);
    const session = storage.read()?.session;
    assert(session);
    storage.write({ session: invalidate(session) });
    const returned = begin(keyed(), storage);
    returned.ask(QUESTION, null);
    assert.equal((await untilTurn(returned, isDone)).failure, null);
    assert.notEqual(storage.read()?.session?.id, session.id);
    storage.write({ session: invalidate(session) });
    const again = begin(keyed(), storage);
    await again.restore();
    assert.deepEqual([again.turns, storage.read()?.session], [[], null]);
  });
}

test("an unreachable server restores nothing and deletes nothing", async () => {
  const storage = newStorage();
  const session = { id: "mine", token: null };
  storage.write({ session });
  const chat = begin(open("http://127.0.0.1:9"), storage);
  await chat.restore();
  assert.deepEqual([chat.turns, storage.read()?.session], [[], session]);
});

test("two tabs share one conversation and its newest token", async () => {
  const storage = newStorage();
  const sent: (string | null)[] = [];
  const client = keyed();
  const recording = new Proxy(client, {
    get: (target, name) =>
      name === "ask"
        ? (...[request, options]: Parameters<Glossator["ask"]>) => {
            sent.push(request.session?.token ?? null);
            return target.ask(request, options);
          }
        : Reflect.get(target, name).bind(target),
  });
  const first = begin(recording, storage);
  first.ask(QUESTION, null);
  await untilTurn(first, isDone);
  const second = begin(recording, browserStorage(environment("OPEN")));
  second.ask(QUESTION, null);
  await untilTurn(second, isDone);
  const newest = storage.read()?.session?.token ?? null;
  storage.write({ draft: "half a thought" });
  first.ask(QUESTION, null);
  await untilTrue(first, () => first.turns.length === 2 && first.turns.every(isDone));
  assert.deepEqual([sent[0], sent[2]], [null, newest]);
  assert.equal(storage.read()?.draft, "half a thought");
  assert.equal((await client.getSession(storage.read()?.session ?? { id: "none" })).exchanges.length, 3);
});

test("feedback is taken back when the server rejects it", async () => {
  const storage = newStorage();
  const chat = begin(keyed(), storage);
  chat.ask(QUESTION, null);
  const { key } = await untilTurn(chat, isDone);
  await chat.sendFeedback(key, false, "too short");
  assert.equal(chat.turns[0]?.helpful, false);
  storage.write({ session: { id: storage.read()?.session?.id ?? "", token: "wrong" } });
  await assert.rejects(chat.sendFeedback(key, true, ""), { status: 404 });
  assert.equal(chat.turns[0]?.helpful, false);
});

test("clear aborts the running question and starts a new session", async () => {
  const storage = newStorage();
  const chat = begin(open(SLOW), storage);
  chat.ask(QUESTION, null);
  chat.ask(QUESTION, null);
  await untilTurn(chat, hasClaim);
  chat.clear();
  assert.deepEqual([chat.turns, storage.read()?.session], [[], null]);
  chat.ask(QUESTION, null);
  await untilTurn(chat, isDone);
  assert.equal(chat.turns.length, 1);
  assert.equal((await open(SLOW).getSession(storage.read()?.session ?? { id: "none" })).exchanges.length, 1);
});

test("without storage and remember nothing is stored", async () => {
  const sent: string[] = [];
  const client = new Glossator({
    server: environment("OPEN"),
    fetch: (url, init) => (sent.push(String(init?.body)), fetch(url, init)),
  });
  Object.defineProperty(globalThis, "localStorage", { get: () => assert.fail("storage was read"), configurable: true });
  const chat = begin(client, noStorage(), false);
  await chat.restore();
  chat.ask(QUESTION, null);
  await untilTurn(chat, isDone);
  chat.ask("And who sends messages to it?", null);
  await untilTrue(chat, () => chat.turns.length === 2 && chat.turns.every(isDone));
  assert.deepEqual(sent.map((body) => [JSON.parse(body).remember, JSON.parse(body).session]), [
    [false, null],
    [false, null],
  ]);
  chat.clear();
  assert.deepEqual(chat.turns, []);
});

test("invalid or forbidden storage does no harm", () => {
  const fake = new FakeStorage();
  withStorage(fake);
  const storage = browserStorage("s");
  for (const text of ["{", "null", "7", "[]"]) {
    fake.items.set("glossator:s", text);
    assert.equal(storage.read()?.session ?? null, null, text);
    storage.write({ isOpen: true });
    assert.deepEqual(storage.read(), { session: null, isOpen: true, draft: "" });
  }
  Object.defineProperty(globalThis, "localStorage", { get: () => assert.fail("forbidden"), configurable: true });
  storage.write({ draft: "x" });
  assert.equal(storage.read(), null);
});
