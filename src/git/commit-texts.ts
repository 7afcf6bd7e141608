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
    message: cut(textOf(message).replaceAll(/[ \t]*<[^<>\s]+@[^<>\s]+>/g, ""), MESSAGE_CHARACTERS_MAX),
    author: cut(
      textOf(author)
        .replaceAll(/\s+/g, " ")
        .replaceAll(/<?[^<>\s]+@[^<>\s]+>?/g, ""),
      AUTHOR_CHARACTERS_MAX,
    ),
  };
}

/** Without control characters, which PostgreSQL or a terminal would trip over. */
function textOf(value: unknown): string {
  return typeof value === "string"
    ? value.replaceAll("\r\n", "\n").replaceAll(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, "")
    : "";
}

function cut(text: string, charactersMax: number): string | null {
  const trimmed = text.trim();
  if (trimmed.length <= charactersMax) return trimmed === "" ? null : trimmed;
  // Not in the middle of a character that has two halves.
  const kept = trimmed.slice(0, charactersMax - 1).replace(/[\ud800-\udbff]$/, "");
  return `${kept}…`;
}
