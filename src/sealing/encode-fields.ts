/**
 * Encodes a list of texts as bytes, differently for every different list. Each text is preceded by its length, so that
 * `["ab", "c"]` and `["a", "bc"]` differ. UTF-16, because it can encode every JavaScript string; UTF-8 would write each
 * lone surrogate as the same U+FFFD.
 */
export function encodeFields(fields: readonly string[]): Buffer<ArrayBuffer> {
  const bytes = fields.reduce((sum, field) => sum + LENGTH_BYTES + field.length * 2, 0);
  const encoded = Buffer.alloc(bytes);
  let at = 0;
  for (const field of fields) {
    at = encoded.writeUInt32BE(field.length * 2, at);
    at += encoded.write(field, at, "utf16le");
  }
  return encoded;
}

const LENGTH_BYTES = 4;
