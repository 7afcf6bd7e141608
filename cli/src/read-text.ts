import { readFile } from "node:fs/promises";
import { UsageError } from "./failure.ts";

/** All of standard input, as text. @throws UsageError for a terminal, and for bytes that are not UTF-8 */
export async function readStdin(stdin: NodeJS.ReadStream): Promise<string> {
  return decode(await readStdinBytes(stdin), STDIN);
}

/** @param file a path, or `-` for standard input */
export async function readText(file: string, stdin: NodeJS.ReadStream): Promise<string> {
  return decode(await readBytes(file, stdin), file === "-" ? STDIN : file);
}

/** The same without decoding. @throws UsageError for a terminal, and for a file that cannot be read */
export async function readBytes(file: string, stdin: NodeJS.ReadStream): Promise<Uint8Array> {
  if (file === "-") return await readStdinBytes(stdin);
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new UsageError(`There is no file ${file}.`);
    if (code === "EISDIR" || code === "EACCES") throw new UsageError(`${file} cannot be read (${code}).`);
    throw error;
  }
}

const STDIN = "Standard input";

async function readStdinBytes(stdin: NodeJS.ReadStream): Promise<Uint8Array> {
  if (stdin.isTTY) throw new UsageError("Standard input is a terminal. Pipe the text in: … < FILE.");
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
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
 * A value as it was meant: editors and `echo` end a line of text with a newline, which does not belong to a password.
 * If the value has several lines, such as a certificate, its last newline belongs to it.
 */
export function stripFinalNewline(text: string): OneValue {
  const found = /^(?<line>[^\r\n]*)\r?\n$/.exec(text);
  return found === null
    ? { value: text, isStripped: false }
    : { value: found.groups?.["line"] ?? "", isStripped: true };
}
