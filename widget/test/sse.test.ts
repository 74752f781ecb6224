import assert from "node:assert/strict";
import { test } from "node:test";
import { type SentEvent, sentEvents } from "../src/sse";

const TEXT = 'id: t:1:0\nevent: status\ndata: {"stage":"searching"}\n\n: hb\n\ndata: ا\ndata:  two\n\nevent: claim\ndata\n\n';
const TOLD: readonly SentEvent[] = [
  { id: "t:1:0", event: "status", data: '{"stage":"searching"}' },
  { id: "t:1:0", event: "message", data: "ا\n two" },
  { id: "t:1:0", event: "claim", data: "" },
];

async function told(...pieces: readonly Uint8Array[]): Promise<SentEvent[]> {
  async function* bytes() {
    yield* pieces;
  }
  const events: SentEvent[] = [];
  for await (const event of sentEvents(bytes())) events.push(event);
  return events;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

test("events are the same wherever their bytes are cut", async () => {
  const bytes = bytesOf(TEXT);
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(await told(bytes.subarray(0, cut), bytes.subarray(cut)), TOLD, `at ${cut}`);
  }
  assert.deepEqual(await told(...Array.from(bytes, (byte) => Uint8Array.of(byte))), TOLD);
});

test("a mark of the byte order is no text", async () => {
  assert.deepEqual(await told(bytesOf(`\ufeff${TEXT}`)), TOLD);
});

test("an event that was cut off is not told", async () => {
  assert.deepEqual(await told(bytesOf("data: one\n\ndata: two\n")), [{ id: "", event: "message", data: "one" }]);
});

test("fields that nobody knows, and events without data, are passed over", async () => {
  assert.deepEqual(await told(bytesOf("retry: 5\nevent: empty\n\nhello\ndata: x\n\n")), [
    { id: "", event: "message", data: "x" },
  ]);
});

test("a line of a million bytes in small pieces is one event", async () => {
  const piece = bytesOf("x".repeat(100));
  const [event] = await told(bytesOf("data: "), ...Array<Uint8Array>(10_000).fill(piece), bytesOf("\n\n"));
  assert.equal(event?.data.length, 1_000_000);
});
