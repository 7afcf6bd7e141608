/** The server takes bodies of 1 MiB. */
const BYTES_MAX = 1_000_000;
const WESTERN = "windows-1252";
/** No text has them: tabs, line breaks and form feeds are left out. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const BINARY = /[\0-\b\x0e-\x1a\x1c-\x1f]/;
const NOT_TEXT =
  "is not a text file. Save a spreadsheet as CSV, and choose that file, or copy its cells into the field.";

/**
 * Reads a text file in UTF-8, UTF-16 or Windows-1252, which spreadsheets write.
 * @returns its text, or why it cannot be used, for people
 */
export async function readTextFile(
  file: File,
): Promise<{ readonly text: string } | { readonly fault: string }> {
  if (file.size > BYTES_MAX)
    return {
      fault: `${file.name} has ${(file.size / 1_000_000).toFixed(1)} MB, and a file may have at most 1 MB. Use it in parts.`,
    };
  let text: string;
  try {
    text = decode(new Uint8Array(await file.arrayBuffer()));
  } catch (error) {
    // A folder, or a file that was deleted or has changed since it was chosen.
    if (!(error instanceof DOMException)) throw error;
    return { fault: `${file.name} cannot be read. Choose it again.` };
  }
  if (BINARY.test(text)) return { fault: `${file.name} ${NOT_TEXT}` };
  return text.trim() === "" ? { fault: `${file.name} is empty.` } : { text };
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(WESTERN).decode(bytes);
  }
}
