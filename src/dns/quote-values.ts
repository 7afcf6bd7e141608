/** Texts from other people's zones, made safe and short for messages. */

const MAX_VALUE_CHARACTERS = 1024;
/** Keeps messages readable when a zone holds very long values. */
const MAX_QUOTED_CHARACTERS = 300;

export function quote(values: readonly string[], separator = ", "): string {
  return shortened(values.join(separator), MAX_QUOTED_CHARACTERS);
}

export function textOf(values: readonly string[]): string {
  return shortened(printable(values.join(", ")), MAX_VALUE_CHARACTERS);
}

function shortened(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
}

/**
 * Makes values from other people's zones safe to store and show. Control characters, which a database may refuse and a
 * terminal may obey, become `\DDD` (RFC 1035, section 5.1), as does everything outside ASCII. Our own arrow and
 * ellipsis stay.
 */
export function printable(text: string): string {
  return text.replace(/[^ -~→…]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `\\${String(byte).padStart(3, "0")}`).join(""),
  );
}
