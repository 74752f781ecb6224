import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, ConnectionError, Glossator } from "../src/client";
import { all, environment, keyed, open, QUESTION, shape } from "./fixtures";

test("an answer is streamed sentence by sentence, and the claims joined are its text", async () => {
  const events = await all(open().ask({ question: QUESTION }));
  const claims = events.flatMap((event) => (event.type === "claim" ? [event.text] : []));
  const last = events.at(-1);
  assert.deepEqual(shape(events).slice(0, 2), ["searching", "found"]);
  assert(claims.length > 0);
  assert(last?.type === "answer");
  assert.equal(last.answer.outcome, "answered");
  assert.equal(claims.join(""), last.answer.text);
});

test("`answer` resolves with the whole answer", async () => {
  const answer = await open().answer({ question: QUESTION });
  assert.match(answer.text, /named stream of messages/);
  assert.equal(answer.citations[0]?.page, "01-start/02-topics.md");
});

test("a follow-up uses the session, which can be read and deleted", async () => {
  const client = keyed();
  const { session } = await client.answer({ question: QUESTION });
  assert(session?.token);
  const { session: newer } = await client.answer({ question: "And who sends messages to it?", session });
  assert(newer);
  assert.equal(newer.id, session.id);
  const stored = await client.getSession(newer);
  assert.deepEqual(stored.exchanges.map((exchange) => exchange.question), [QUESTION, "And who sends messages to it?"]);
  await client.deleteSession({ id: stored.id, token: stored.token });
  await assert.rejects(client.getSession(newer), { name: "ApiError", status: 404, code: "not_found" });
});

test("with `remember: false` there is no session", async () => {
  assert.equal((await keyed().answer({ question: QUESTION, remember: false })).session, null);
});

test("a question can be answered from the selected text alone", async () => {
  const text = "A gripper closes with forty newtons. It opens by itself when the power is lost.";
  const selection = { text, only: true };
  const answer = await open().answer({ question: "How strong does the gripper close?", selection });
  assert.match(answer.text, /forty newtons/);
  assert.equal(text.slice(answer.citations[0]?.start, answer.citations[0]?.end), answer.citations[0]?.quote);
});

test("`search` finds passages in the book, or in one page of it", async () => {
  const found = await open().search("charge a battery", { top_k: 2, threshold: 0 });
  assert.equal(found.hits[0]?.page, "02-motion/01-batteries.md");
  assert.equal(found.hits.length, 2);
  const elsewhere = await open().search("charge a battery", { filters: { page: ["01-start/01-nodes.md"] } });
  assert.deepEqual(new Set(elsewhere.hits.map((hit) => hit.page)), new Set(["01-start/01-nodes.md"]));
});

test("feedback on an answer needs its session", async () => {
  const client = keyed();
  const { id, session } = await client.answer({ question: QUESTION });
  await client.sendFeedback(id, false, "too short", session);
  await assert.rejects(client.sendFeedback(id, true, "", null), { name: "ApiError", status: 404 });
});

test("an ApiError has status, code and trace id", async () => {
  await assert.rejects(open().answer({ question: "x".repeat(2001) }), (error: unknown) => {
    assert(error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.retryable], [400, "invalid", false]);
    assert.match(error.traceId ?? "", /^[0-9a-f]{32}$/);
    return true;
  });
});

test("an invalid key is rejected, and a publishable key may not search", async () => {
  await assert.rejects(open(environment("KEYED")).answer({ question: QUESTION }), { status: 401, code: "unauthorized" });
  await assert.rejects(keyed(undefined, "pk_nobody").answer({ question: QUESTION }), { status: 401 });
  await assert.rejects(keyed().search("topics"), { status: 403, code: "forbidden" });
});

test("a rate limit has retryAfter", async () => {
  const client = open(environment("LIMITED"));
  await client.answer({ question: QUESTION });
  await assert.rejects(client.answer({ question: QUESTION }), (error: unknown) => {
    assert(error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.retryable], [429, "rate_limited", true]);
    assert(error.retryAfter && error.retryAfter > 0 && error.retryAfter <= 60);
    return true;
  });
});

test("a trailing slash of the server address is ignored", async () => {
  assert((await open(`${environment("OPEN")}//`).answer({ question: QUESTION })).text);
});

test("requests with the same idempotency key are answered once", async () => {
  const client = open();
  const answers = await Promise.all(
    [1, 2, 3].map(() => client.answer({ question: QUESTION }, { idempotencyKey: "three-times-the-same" })),
  );
  assert.equal(new Set(answers.map((answer) => answer.id)).size, 1);
  assert(answers[0]?.session);
  assert.equal((await client.getSession(answers[0].session)).exchanges.length, 1);
});

test("an unreachable server is a ConnectionError after three retries", async () => {
  let drops = 0;
  const answer = open("http://127.0.0.1:9").answer({ question: QUESTION }, { onDrop: () => drops++ });
  await assert.rejects(answer, ConnectionError);
  assert.equal(drops, 3);
});

test("an aborted signal rejects with its reason", async () => {
  const reason = new Error("changed my mind");
  const answer = open().answer({ question: QUESTION }, { signal: AbortSignal.abort(reason) });
  await assert.rejects(answer, reason);
});

test("an error of a proxy becomes an ApiError with code unknown", async () => {
  for (const [status, after, seconds] of [[502, "7", 7], [500, "", null], [503, "Fri, 31 Dec 1999 23:59:59 GMT", null]] as const) {
    const response = new Response("<h1>Bad Gateway</h1>", { status, headers: { "Retry-After": after } });
    const client = new Glossator({ server: environment("OPEN"), fetch: () => Promise.resolve(response) });
    await assert.rejects(client.search("x"), (error: unknown) => {
      assert(error instanceof ApiError);
      assert.deepEqual([error.status, error.code, error.retryable], [status, "unknown", status !== 500]);
      assert.equal(error.retryAfter, seconds);
      return true;
    });
  }
});
