import { connect, type Socket } from "node:net";

/** What was answered, as it came over the line. */
export interface Told {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A stream is read for as long as what stands in the log takes to come. */
const streamMs = 25;

/** Connections that are kept. For tens of thousands of small requests Node's own client takes as long as a server's answers. */
export function keptLines(url: string, count = 8) {
  const { hostname, port } = new URL(url);
  const lines = Array.from({ length: count }, () => ({ socket: null as Socket | null, last: Promise.resolve() }));
  let asked = 0;

  function opened(): Socket {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on("error", () => {});
    return socket;
  }

  return {
    /** Sends a request as it is written, after those that were sent before it over the same line. */
    ask(request: string): Promise<Told> {
      const line = lines[asked++ % count] as (typeof lines)[number];
      const told = line.last.then(() => {
        if (line.socket === null || line.socket.destroyed) line.socket = opened();
        return exchange(line.socket, request);
      });
      line.last = told.then(
        () => {},
        () => {},
      );
      return told;
    },
    end(): void {
      for (const { socket } of lines) socket?.destroy();
    },
  };
}

function exchange(socket: Socket, request: string): Promise<Told> {
  return new Promise((resolve, reject) => {
    let come: Buffer = Buffer.alloc(0);
    let head: Head | null = null;
    const broken = () => reject(new Error(`The line broke after ${come.length} bytes of an answer.`));
    const over = (body: string) => {
      socket.off("data", hear).off("close", broken);
      if (head?.isLast) socket.destroy();
      resolve({ status: head?.status ?? 0, headers: head?.headers ?? [], body });
    };
    const hear = (piece: Buffer) => {
      come = come.length === 0 ? piece : Buffer.concat([come, piece]);
      const isFirst = head === null;
      head ??= headOf(come);
      if (head === null) return;
      const { at, length } = head;
      if (length !== null && come.length >= at + length) over(come.toString("utf8", at, at + length));
      if (length === null && isFirst) setTimeout(() => over(unchunked(come.subarray(at))), streamMs);
    };
    socket.on("data", hear).on("close", broken);
    socket.write(request);
  });
}

/** What an answer begins with, where its body does, how many bytes that has (`null`: it has no end), and whether the line ends with it. */
interface Head extends Pick<Told, "status" | "headers"> {
  readonly at: number;
  readonly length: number | null;
  readonly isLast: boolean;
}

function headOf(come: Buffer): Head | null {
  const end = come.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const [first = "", ...lines] = come.toString("latin1", 0, end).split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(": ");
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  const header = (name: string) => headers.find(([known]) => known.toLowerCase() === name)?.[1];
  const length = header("transfer-encoding") === "chunked" ? null : Number(header("content-length") ?? 0);
  const isLast = length === null || header("connection") === "close";
  return { status: Number(first.split(" ")[1]), headers, at: end + 4, length, isLast };
}

function unchunked(bytes: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at);
    const size = end === -1 ? 0 : Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (!(size > 0)) return Buffer.concat(pieces).toString();
    pieces.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
