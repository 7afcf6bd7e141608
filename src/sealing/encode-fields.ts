/**
 * One byte string for a list of texts, different for every different list: each text is preceded by its
 * length, so that `["ab", "c"]` and `["a", "bc"]` differ. UTF-16 because it has an encoding for every
 * JavaScript string; UTF-8 would write each lone surrogate as the same U+FFFD.
 */
export function encodeFields(fields: readonly string[]): Buffer<ArrayBuffer> {
  return Buffer.concat(
    fields.flatMap((field) => {
      const text = Buffer.from(field, "utf16le");
      const length = Buffer.alloc(4);
      length.writeUInt32BE(text.length);
      return [length, text];
    }),
  );
}
