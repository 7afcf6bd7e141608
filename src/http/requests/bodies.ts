import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import { type BodyShare, createBodyBudget, holderOfAddress } from "../limits/body-budget.ts";
import { type ReadBody, readBlocks } from "./read-body.ts";
import { sourceAddressOf } from "../limits/source-address.ts";

const MIB = 1_048_576;

/** For requests without a key, by address. One address may send the largest possible body: a git hook's. */
const STRANGERS = { totalBytes: 8 * MIB, holderBytes: 6 * MIB };
/** For requests with a key, by organization. */
const KNOWN = { totalBytes: 64 * MIB, holderBytes: 24 * MIB };

export type Bodies = {
  /** Reads the body of a request, within the limits of its sender. @throws what `readBlocks` throws */
  read(request: FastifyRequest, payload: Readable, maxBytes: number): Promise<readonly Buffer[]>;
  /** The same, but of a body over `maxBytes` it keeps the first `cutAt` bytes or more. */
  readOrCut(request: FastifyRequest, payload: Readable, maxBytes: number, cutAt: number): Promise<ReadBody>;
  /** Call it after the body was read or refused: frees its room when the request has been answered. */
  freeWhenAnswered(request: FastifyRequest, reply: FastifyReply): void;
};

export function createBodies(): Bodies {
  const strangers = createBodyBudget(STRANGERS);
  const known = createBodyBudget(KNOWN);
  const shares = new WeakMap<FastifyRequest, BodyShare>();
  const read = async (
    request: FastifyRequest,
    payload: Readable,
    limits: { readonly maxBytes: number; readonly cutAt?: number },
  ): Promise<ReadBody> => {
    const givenUp = new AbortController();
    const { actor } = request;
    const giveUp = (refusal: AppError): void => givenUp.abort(refusal);
    const share =
      actor === null
        ? strangers.open(holderOfAddress(sourceAddressOf(request)), giveUp)
        : known.open(actor.organizationId, giveUp);
    shares.set(request, share);
    const declared = request.headers["content-length"];
    const declaredLength = declared === undefined ? null : Number(declared);
    try {
      const body = await readBlocks(payload, { ...limits, declaredLength, share, givenUp: givenUp.signal });
      share.settle();
      return body;
    } catch (error) {
      share.release();
      throw error;
    }
  };
  return {
    read: async (request, payload, maxBytes) => (await read(request, payload, { maxBytes })).blocks,
    readOrCut: (request, payload, maxBytes, cutAt) => read(request, payload, { maxBytes, cutAt }),
    freeWhenAnswered(request, reply) {
      const share = shares.get(request);
      if (share === undefined) return;
      if (reply.raw.closed) share.release();
      else reply.raw.once("close", () => share.release());
    },
  };
}

/**
 * Refuses bodies that would be misread: JSON is UTF-8 (RFC 8259, section 8.1).
 * @throws AppError `UNSUPPORTED_MEDIA_TYPE`
 */
export function requirePlainUtf8(request: FastifyRequest): void {
  requirePlain(request);
  if (charsetsOf(request).every((charset) => /^utf-?8$/i.test(charset))) return;
  throw new AppError(
    HTTP_ERRORS.UNSUPPORTED_MEDIA_TYPE,
    "Send the body in UTF-8, as Content-Type: application/json with no other charset.",
  );
}

/** A small compressed body could become a large one. @throws AppError `UNSUPPORTED_MEDIA_TYPE` */
export function requirePlain({ headers: { "content-encoding": encoding = "" } }: FastifyRequest): void {
  const codings = encoding.split(",").map((coding) => coding.trim().toLowerCase());
  if (codings.every((coding) => coding === "" || coding === "identity")) return;
  throw new AppError(
    HTTP_ERRORS.UNSUPPORTED_MEDIA_TYPE,
    "Send the body without a Content-Encoding. Compressed bodies are not accepted.",
  );
}

/** The charsets that the Content-Type declares. */
export function charsetsOf({ headers: { "content-type": type = "" } }: FastifyRequest): readonly string[] {
  return [...type.matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi)].map(([, charset = ""]) => charset);
}
