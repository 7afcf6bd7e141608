import { readFile } from "node:fs/promises";
import { UsageError } from "../output/failure.ts";

/** All of standard input, as text. @throws UsageError for a terminal, and for what is no UTF-8 */
export async function readStdin(stdin: NodeJS.ReadStream): Promise<string> {
  if (stdin.isTTY) throw new UsageError("Standard input is a terminal. Pipe the text in: … < FILE.");
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return decode(Buffer.concat(chunks), "Standard input");
}

/** @param file a path, or `-` for standard input */
export async function readText(file: string, stdin: NodeJS.ReadStream): Promise<string> {
  if (file === "-") return await readStdin(stdin);
  try {
    return decode(await readFile(file), file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new UsageError(`There is no file ${file}.`);
    if (code === "EISDIR" || code === "EACCES") throw new UsageError(`${file} cannot be read (${code}).`);
    throw error;
  }
}

/** A value with a byte changed would fail much later, and far away. */
function decode(bytes: Uint8Array, from: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${from} is not text in UTF-8. Encode it first, for example with base64.`);
  }
}

export type OneValue = { readonly value: string; readonly isStripped: boolean };

/**
 * A value as it was meant: editors and `echo` end a line of text with a newline that nobody wants in a password. Of
 * several lines, such as a certificate, the last newline belongs to the value.
 */
export function stripFinalNewline(text: string): OneValue {
  const found = /^(?<line>[^\r\n]*)\r?\n$/.exec(text);
  return found === null
    ? { value: text, isStripped: false }
    : { value: found.groups?.["line"] ?? "", isStripped: true };
}
