import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

/** How much of an unwanted body is still read: a sender who is cut off in the middle could lose the answer. */
const mostBytes = 8 * 1024 * 1024;
/** How long a sender may continue after the answer. */
const patienceMs = 10_000;
/** A sender who is silent for this long has read the answer, or never will. */
const silenceMs = 2_000;

const parting = new WeakSet<Socket>();

/** Whether a connection has had its last answer. Whatever arrives later belongs to no request. */
export function isParting({ socket }: IncomingMessage): boolean {
  return parting.has(socket);
}

/** Lets the request's arrived bytes be read first: otherwise a very fast answer would treat a short body as unfinished. */
export async function takeIn(): Promise<void> {
  await turn();
}

/** Makes an answer the last one of its connection if the rest of the request isn't awaited. Called before its headers are sent. */
export function partIfUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  response.setHeader("Connection", "close");
  // Node uses this to end a connection after its last answer, and would reset one with unread data.
  request.socket.destroySoon = () => part(request);
}

/** Ends a connection with an incomplete request: reads a limited rest of it, so that the answer arrives. */
export function part(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete || parting.has(socket)) return;
  parting.add(socket);
  let taken = 0;
  const take = (chunk: Uint8Array) => {
    taken += chunk.length;
    if (request.complete || taken > mostBytes) leave();
    else silence.refresh();
  };
  const leave = () => {
    socket.off("data", take).pause();
    if (socket.writableFinished) socket.destroy();
    else socket.once("finish", () => socket.destroy());
  };
  const silence = setTimeout(leave, silenceMs);
  const patience = setTimeout(() => socket.destroy(), patienceMs);
  socket.once("close", () => {
    clearTimeout(silence);
    clearTimeout(patience);
  });
  socket.once("end", leave);
  socket.end();
  socket.resume();
  // Not before it flows again: a socket that gets a listener while Node's parser pauses it stays paused for ever.
  setImmediate(() => socket.on("data", take));
}
