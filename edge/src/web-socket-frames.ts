/**
 * Where the frames of one direction of a WebSocket end (RFC 6455, section 5.2). Only between two frames may the edge
 * write a frame of its own.
 */
export type FrameTracker = {
  read(chunk: Buffer): void;
  /** Whether everything read so far is whole frames. */
  isBetweenFrames(): boolean;
};

export function createFrameTracker(): FrameTracker {
  /** The octets of a header whose payload has not begun; at most 14. */
  let header: number[] = [];
  let payloadLeft = 0;
  return {
    read(chunk) {
      let at = 0;
      while (at < chunk.length) {
        if (payloadLeft > 0) {
          const taken = Math.min(payloadLeft, chunk.length - at);
          payloadLeft -= taken;
          at += taken;
          continue;
        }
        header.push(chunk[at] ?? 0);
        at += 1;
        if (header.length < headerLength(header)) continue;
        payloadLeft = payloadLength(header);
        header = [];
      }
    },
    isBetweenFrames: () => header.length === 0 && payloadLeft === 0,
  };
}

function headerLength([, second]: readonly number[]): number {
  if (second === undefined) return 2;
  const short = second & 0x7f;
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
  return 2 + extended + ((second & 0x80) === 0 ? 0 : 4);
}

function payloadLength(header: readonly number[]): number {
  const short = (header[1] ?? 0) & 0x7f;
  const octets = short === 126 ? header.slice(2, 4) : short === 127 ? header.slice(2, 10) : [short];
  return octets.reduce((length, octet) => length * 256 + octet, 0);
}

const GOING_AWAY = 1001;

/** A close frame that says that this end stops (RFC 6455, section 7.4.1). Frames of clients are masked (section 5.3). */
export function goingAwayFrame(sender: "server" | "client"): Buffer {
  const code = [GOING_AWAY >> 8, GOING_AWAY & 0xff];
  // The mask only protects proxies from data that a page chose. Slipway chooses this, so a mask of zeros is as good.
  return Buffer.from(sender === "server" ? [0x88, 2, ...code] : [0x88, 0x82, 0, 0, 0, 0, ...code]);
}
