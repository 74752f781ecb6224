import assert from "node:assert/strict";
import { test } from "node:test";
import { type ServerSentEvent, parseEvents } from "../src/sse";

const TEXT = 'id: t:1:0\nevent: status\ndata: {"stage":"searching"}\n\n: hb\n\ndata: ا\ndata:  two\n\nevent: claim\ndata\n\n';
const EVENTS: readonly ServerSentEvent[] = [
  { id: "t:1:0", event: "status", data: '{"stage":"searching"}' },
  { id: "t:1:0", event: "message", data: "ا\n two" },
  { id: "t:1:0", event: "claim", data: "" },
];

async function parse(...pieces: readonly Uint8Array[]): Promise<ServerSentEvent[]> {
  async function* bytes() {
    yield* pieces;
  }
  const events: ServerSentEvent[] = [];
  for await (const event of parseEvents(bytes())) events.push(event);
  return events;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

test("events are the same wherever their bytes are cut", async () => {
  const bytes = bytesOf(TEXT);
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(await parse(bytes.subarray(0, cut), bytes.subarray(cut)), EVENTS, `at ${cut}`);
  }
  assert.deepEqual(await parse(...Array.from(bytes, (byte) => Uint8Array.of(byte))), EVENTS);
});

test("a byte order mark is ignored", async () => {
  assert.deepEqual(await parse(bytesOf(`\ufeff${TEXT}`)), EVENTS);
});

test("an event that was cut off is dropped", async () => {
  assert.deepEqual(await parse(bytesOf("data: one\n\ndata: two\n")), [{ id: "", event: "message", data: "one" }]);
});

test("unknown fields and events without data are ignored", async () => {
  assert.deepEqual(await parse(bytesOf("retry: 5\nevent: empty\n\nhello\ndata: x\n\n")), [
    { id: "", event: "message", data: "x" },
  ]);
});

test("a line of a million bytes in small chunks is one event", async () => {
  const piece = bytesOf("x".repeat(100));
  const [event] = await parse(bytesOf("data: "), ...Array<Uint8Array>(10_000).fill(piece), bytesOf("\n\n"));
  assert.equal(event?.data.length, 1_000_000);
});
