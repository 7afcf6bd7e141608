/** What an edge on another machine and the control plane share: a secret, and the keys that are made from it. */
import { hkdfSync } from "node:crypto";
import { OperatorError } from "../../../src/lib/operator-error.ts";
import { openBytes, sealBytes } from "../../../src/sealing/aead.ts";

export type EdgeKeys = {
  /** Authenticates requests of the edge. It shows nothing of the key. */
  readonly token: string;
  /** @param place what the bytes are for; they open only there */
  seal(place: string, bytes: Uint8Array): Buffer;
  /** @throws EdgeSecretError if another secret sealed the bytes, they were changed, or they are for another place */
  open(place: string, sealed: Uint8Array): Buffer;
};

/** Bytes from the control plane, or on the disk, do not open with this secret. */
export class EdgeSecretError extends OperatorError {
  override readonly name = "EdgeSecretError";
}

const PURPOSE = "slipway edge";

/** @param secret of at least 32 characters, which cannot be guessed */
export function deriveEdgeKeys(secret: string): EdgeKeys {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", secret, "", `slipway edge ${purpose}`, 32));
  const key = derive("sealing");
  return {
    token: derive("authentication").toString("base64url"),
    seal: (place, bytes) => sealBytes(key, [PURPOSE, place], bytes),
    open(place, sealed) {
      const bytes = openBytes(key, [PURPOSE, place], sealed);
      if (bytes !== null) return bytes;
      throw new EdgeSecretError(
        "What the control plane sealed does not open with this secret. Set SLIPWAY_EDGE_SECRET to the same value here and there.",
      );
    },
  };
}
