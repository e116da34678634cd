import type { HttpAnswer, HttpStream } from "./incoming-request.ts";

const encoder = new TextEncoder();

export function toResponse(method: string, { status, headers, body }: HttpAnswer): Response {
  const pairs: [string, string][] = [];
  for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at] ?? "", headers[at + 1] ?? ""]);
  if (body === null) return new Response(null, { status, headers: pairs });
  if (typeof body !== "string") return new Response(flowing(body), { status, headers: pairs });
  const bytes = encoder.encode(body);
  pairs.push(["Content-Length", String(bytes.byteLength)]);
  return new Response(method === "HEAD" ? null : bytes, { status, headers: pairs });
}

/** A stream read piece by piece: nothing is produced before its reader asks. */
function flowing(stream: HttpStream): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream.abandoned.addEventListener("abort", () => controller.error(stream.abandoned.reason));
      },
      async pull(controller) {
        const piece = await stream.next();
        if (stream.abandoned.aborted) return;
        if (piece === null) controller.close();
        else controller.enqueue(encoder.encode(piece));
      },
      cancel: () => stream.cancel(),
    },
    { highWaterMark: 0 },
  );
}
