/** A port for TLS and other protocols, distinguished by the first bytes of a connection. */
import { createServer, type Server, type Socket } from "node:net";

/** The first byte of a TLS connection: a handshake record (RFC 8446, section 5.1). */
const TLS_HANDSHAKE = 0x16;
const RECORD_HEADER_BYTES = 5;
const RECORD_MAX_BYTES = RECORD_HEADER_BYTES + 2 ** 14;

/**
 * @param limitMs for the first record
 * @param take gets each connection with its first TLS record, which the socket still has; null if it is not TLS
 */
export function listenForRecords(
  limitMs: number,
  take: (socket: Socket, record: Buffer | null) => void,
): {
  /** It does not listen yet. */
  readonly listener: Server;
  readonly sockets: ReadonlySet<Socket>;
} {
  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setTimeout(limitMs, () => socket.destroy());
    const handOver = (): void => {
      const read = socket.read() as Buffer | null;
      if (read !== null) {
        socket.unshift(read);
        const isTls = read[0] === TLS_HANDSHAKE;
        if (!isTls || read.length >= recordLength(read)) {
          socket.setTimeout(0).removeAllListeners("timeout");
          take(socket, isTls ? read : null);
          return;
        }
      }
      socket.once("readable", handOver);
    };
    handOver();
  });
  return { listener, sockets };
}

function recordLength(bytes: Buffer): number {
  if (bytes.length < RECORD_HEADER_BYTES) return RECORD_HEADER_BYTES;
  return Math.min(RECORD_HEADER_BYTES + bytes.readUInt16BE(3), RECORD_MAX_BYTES);
}
