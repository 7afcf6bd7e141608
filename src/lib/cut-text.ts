/**
 * The beginning of a text, at most `length` UTF-16 units long. It ends with a whole character: half a surrogate pair is
 * no text, and JSON and UTF-8 cannot carry it.
 */
export function cutText(text: string, length: number): string {
  const isSplit =
    /[\ud800-\udbff]/.test(text.charAt(length - 1)) && /[\udc00-\udfff]/.test(text.charAt(length));
  return text.slice(0, isSplit ? length - 1 : length);
}

/** Pieces of at most `length` UTF-16 units, at least 2, of whole characters; one empty piece for an empty text. */
export function splitText(text: string, length: number): readonly string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== "" || pieces.length === 0;) {
    const piece = cutText(rest, length);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}

/** Bytes of UTF-8 that end anywhere, without the beginning of a character that was cut off. */
export function decodeCut(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}
