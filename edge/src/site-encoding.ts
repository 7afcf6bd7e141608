/** Files of sites in fewer bytes, by the rules of CloudFront, which serves them on AWS. */
import { buffer } from "node:stream/consumers";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { SiteFile } from "./site-file.ts";

type Encoding = "br" | "gzip";

/** CloudFront compresses files of these sizes. */
const ENCODED_BYTES_MIN = 1_000;
const ENCODED_BYTES_MAX = 10_000_000;
/** Files whose content is text, or a font or program that is not compressed yet. */
const ENCODED_TYPES =
  /^(?:text\/|application\/(?:json|javascript|xml|wasm|vnd[.]ms-fontobject)|[a-z]+\/[a-z0-9.-]+\+(?:json|xml)|font\/(?:ttf|otf)|image\/(?:bmp|x-icon))/;

/** Each content is compressed once while it is asked for. */
const encoded = new LRUCache<string, Buffer, { readonly file: SiteFile; readonly encoding: Encoding }>({
  maxSize: 64 * 1024 ** 2,
  sizeCalculation: ({ byteLength }) => byteLength,
  fetchMethod: async (_key, _stale, { context }) => {
    const opened = context.file.open();
    const bytes = opened instanceof Readable ? await buffer(opened) : opened;
    return await ENCODERS[context.encoding](bytes);
  },
});

const ENCODERS: Readonly<Record<Encoding, (bytes: Uint8Array) => Promise<Buffer>>> = {
  // As small as gzip at its best, in less time. The default is for files that are compressed once for all.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

export function canEncode(contentType: string, sizeBytes: number): boolean {
  return sizeBytes >= ENCODED_BYTES_MIN && sizeBytes <= ENCODED_BYTES_MAX && ENCODED_TYPES.test(contentType);
}

/** The best encoding that a request accepts (RFC 9110, 12.5.3); null for none. */
export function encodingFor(acceptEncoding = ""): Encoding | null {
  const accepted = acceptEncoding
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((text) => text.trim()))
    .filter(([, weight = ""]) => !/^q=0(?:[.]0*)?$/.test(weight))
    .map(([name]) => name);
  return (["br", "gzip"] as const).find((encoding) => accepted.includes(encoding)) ?? null;
}

export async function encode(file: SiteFile, encoding: Encoding): Promise<Buffer> {
  return await encoded.forceFetch(`${encoding} ${file.contentKey}`, { context: { file, encoding } });
}
