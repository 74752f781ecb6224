import assert from "node:assert/strict";
import { test } from "node:test";
import { Glossator, LineDropped, Refused } from "../src/client";
import { all, given, keyed, open, QUESTION, shape } from "./scene";

test("an answer comes sentence by sentence, and what was told is the answer", async () => {
  const events = await all(open().ask({ question: QUESTION }));
  const claims = events.flatMap((event) => (event.type === "claim" ? [event.text] : []));
  const last = events.at(-1);
  assert.deepEqual(shape(events).slice(0, 2), ["searching", "found"]);
  assert(claims.length > 0);
  assert(last?.type === "answer");
  assert.equal(last.answer.outcome, "answered");
  assert.equal(claims.join(""), last.answer.text);
});

test("an answer can be had whole", async () => {
  const answer = await open().answer({ question: QUESTION });
  assert.match(answer.text, /named stream of messages/);
  assert.equal(answer.citations[0]?.page, "01-start/02-topics.md");
});

test("a follow-up goes along with the session, which can be read and forgotten", async () => {
  const client = keyed();
  const { session } = await client.answer({ question: QUESTION });
  assert(session?.token);
  const { session: newer } = await client.answer({ question: "And who sends messages to it?", session });
  assert(newer);
  assert.equal(newer.id, session.id);
  const read = await client.session(newer);
  assert.deepEqual(read.exchanges.map((one) => one.question), [QUESTION, "And who sends messages to it?"]);
  await client.forget({ id: read.id, token: read.token });
  await assert.rejects(client.session(newer), { name: "Refused", status: 404, code: "not_found" });
});

test("what is not remembered has no session", async () => {
  assert.equal((await keyed().answer({ question: QUESTION, remember: false })).session, null);
});

test("the words that a reader marked are asked about alone", async () => {
  const text = "A gripper closes with forty newtons. It opens by itself when the power is lost.";
  const selection = { text, only: true };
  const answer = await open().answer({ question: "How strong does the gripper close?", selection });
  assert.match(answer.text, /forty newtons/);
  assert.equal(text.slice(answer.citations[0]?.start, answer.citations[0]?.end), answer.citations[0]?.quote);
});

test("the book is searched, also in one of its chapters only", async () => {
  const found = await open().search("charge a battery", { top_k: 2, threshold: 0 });
  assert.equal(found.hits[0]?.page, "02-motion/01-batteries.md");
  assert.equal(found.hits.length, 2);
  const elsewhere = await open().search("charge a battery", { filters: { page: ["01-start/01-nodes.md"] } });
  assert.deepEqual(new Set(elsewhere.hits.map((hit) => hit.page)), new Set(["01-start/01-nodes.md"]));
});

test("an answer is judged, with a reason", async () => {
  const client = keyed();
  const { id, session } = await client.answer({ question: QUESTION });
  await client.judge(id, false, "too short", session);
  await assert.rejects(client.judge(id, true, "", null), { name: "Refused", status: 404 });
});

test("what the server refuses says why, and whom to ask about it", async () => {
  await assert.rejects(open().answer({ question: "x".repeat(2001) }), (error: unknown) => {
    assert(error instanceof Refused);
    assert.deepEqual([error.status, error.code, error.retryable], [400, "invalid", false]);
    assert.match(error.traceId ?? "", /^[0-9a-f]{32}$/);
    return true;
  });
});

test("without a good key nobody is answered, and a key for pages may not search", async () => {
  await assert.rejects(open(given("KEYED")).answer({ question: QUESTION }), { status: 401, code: "unauthorized" });
  await assert.rejects(keyed(undefined, "pk_nobody").answer({ question: QUESTION }), { status: 401 });
  await assert.rejects(keyed().search("topics"), { status: 403, code: "forbidden" });
});

test("a limit says when to come back", async () => {
  const client = open(given("LIMITED"));
  await client.answer({ question: QUESTION });
  await assert.rejects(client.answer({ question: QUESTION }), (error: unknown) => {
    assert(error instanceof Refused);
    assert.deepEqual([error.status, error.code, error.retryable], [429, "rate_limited", true]);
    assert(error.retryAfter && error.retryAfter > 0 && error.retryAfter <= 60);
    return true;
  });
});

test("a slash behind the server's address makes no difference", async () => {
  assert((await open(`${given("OPEN")}//`).answer({ question: QUESTION })).text);
});

test("the same asking under one name is asked once", async () => {
  const client = open();
  const answers = await Promise.all(
    [1, 2, 3].map(() => client.answer({ question: QUESTION }, { name: "three-times-the-same" })),
  );
  assert.equal(new Set(answers.map((answer) => answer.id)).size, 1);
  assert(answers[0]?.session);
  assert.equal((await client.session(answers[0].session)).exchanges.length, 1);
});

test("where nobody answers the line is dropped, after it was tried again", async () => {
  let drops = 0;
  const asked = open("http://127.0.0.1:9").answer({ question: QUESTION }, { onDrop: () => drops++ });
  await assert.rejects(asked, LineDropped);
  assert.equal(drops, 3);
});

test("who never wanted an answer gets none", async () => {
  const reason = new Error("changed my mind");
  const asked = open().answer({ question: QUESTION }, { signal: AbortSignal.abort(reason) });
  await assert.rejects(asked, reason);
});

test("what a proxy says in between is understood as far as it goes", async () => {
  for (const [status, after, seconds] of [[502, "7", 7], [500, "", null], [503, "Fri, 31 Dec 1999 23:59:59 GMT", null]] as const) {
    const said = new Response("<h1>Bad Gateway</h1>", { status, headers: { "Retry-After": after } });
    const client = new Glossator({ server: given("OPEN"), fetch: () => Promise.resolve(said) });
    await assert.rejects(client.search("x"), (error: unknown) => {
      assert(error instanceof Refused);
      assert.deepEqual([error.status, error.code, error.retryable], [status, "unknown", status !== 500]);
      assert.equal(error.retryAfter, seconds);
      return true;
    });
  }
});
