import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

/** What is still taken of a body that nobody wants: anyone who is cut off in the middle of it could lose the answer. */
const mostBytes = 8 * 1024 * 1024;
/** How long a sender may continue after the answer. */
const patienceMs = 10_000;
/** A sender who is silent for this long has seen the answer, or never will. */
const silenceMs = 2_000;

const parting = new WeakSet<Socket>();

/** Whether a connection has had its last answer. What still comes on it is nobody's request. */
export function isParting({ socket }: IncomingMessage): boolean {
  return parting.has(socket);
}

/** Lets what has arrived of a request be taken in: an answer that comes very fast would believe that a short body is still on its way. */
export async function takeIn(): Promise<void> {
  await turn();
}

/** Makes an answer that doesn't wait for the rest of its request the last one of the connection. Goes before its headers. */
export function partIfUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  response.setHeader("Connection", "close");
  // By this Node ends a connection after its last answer, and would reset one on which there is more to read.
  request.socket.destroySoon = () => part(request);
}

/** Ends a connection whose last request hasn't come whole: takes a bounded rest of it, so that the answer gets out. */
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
  // Not before it flows again: a socket that is listened to while Node's parser holds it back stays still for ever.
  setImmediate(() => socket.on("data", take));
}
