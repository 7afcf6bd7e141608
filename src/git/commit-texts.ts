import { toLines } from "../lib/shown-text.ts";
import { cutText } from "../lib/cut-text.ts";

/** What people read about a commit. */
export type Commit = {
  /** Null if there is none. */
  readonly message: string | null;
  /** The author's name; null if there is none. Never an e-mail address. */
  readonly author: string | null;
};

const MESSAGE_CHARACTERS_MAX = 2_000;
const AUTHOR_CHARACTERS_MAX = 200;

/**
 * Cuts a commit's texts to what is stored and shown. Addresses of people are left out: of trailers such as
 * `Co-authored-by: Ada <ada@example.com>`, and of an author whose name is one. Pure.
 */
export function readCommitTexts(message: unknown, author: unknown): Commit {
  return {
    message: cut(
      textOf(message, 10 * MESSAGE_CHARACTERS_MAX).replaceAll(/(?<![ \t])[ \t]*<[^<>\s@]+@[^<>\s]+>/g, ""),
      MESSAGE_CHARACTERS_MAX,
    ),
    author: cut(
      textOf(author, 10 * AUTHOR_CHARACTERS_MAX)
        .replaceAll(/\s+/g, " ")
        .replaceAll(/<?[^<>\s]+@[^<>\s]+>?/g, ""),
      AUTHOR_CHARACTERS_MAX,
    ),
  };
}

/** Without characters that PostgreSQL or a terminal would trip over. Longer texts are searched no further. */
function textOf(value: unknown, charactersMax: number): string {
  if (typeof value !== "string") return "";
  const text = value.slice(0, charactersMax).replaceAll("\r\n", "\n");
  return toLines(text).replaceAll(/[\p{Cs}\r]/gu, "");
}

function cut(text: string, charactersMax: number): string | null {
  const trimmed = text.trim();
  if (trimmed.length <= charactersMax) return trimmed === "" ? null : trimmed;
  return `${cutText(trimmed, charactersMax - 1)}…`;
}
