/** Commands of a Flightcontrol file, as lines for a shell. Pure. */
import { joinShellWords } from "../../lib/shell-words.ts";
import { ALIASES } from "./flightcontrol-import.ts";
import { COMMAND_LENGTH_MAX, COMMAND_WORDS_MAX } from "../projects/service-settings.ts";
import { containsSecret } from "./looks-secret.ts";

export type Command =
  | {
      readonly kind: "command";
      readonly line: string;
      /** Of a list, which no shell reads. */
      readonly words: readonly string[] | null;
      /** The differences from the file, in sentences. */
      readonly changes: readonly string[];
    }
  | { readonly kind: "none" }
  | { readonly kind: "wrong" | "long" | "secret" };

/** @param value text, or a list of words */
export function readCommand(value: unknown): Command {
  if (value === undefined) return { kind: "none" };
  const words = Array.isArray(value) && value.every((one) => typeof one === "string") ? value : null;
  if (words === null && typeof value !== "string") return { kind: "wrong" };
  if (words?.[0] === "") return { kind: "wrong" };
  const text = typeof value === "string" ? value.trim() : joinShellWords(words ?? []);
  if (text === "") return { kind: "none" };
  // The names of Slipway are longer.
  const line = replaceAliases(text);
  if (line.length > COMMAND_LENGTH_MAX || (words ?? []).length > COMMAND_WORDS_MAX) return { kind: "long" };
  if (containsSecret(text) || (words !== null && containsSecret(words.join(" ")))) return { kind: "secret" };
  return {
    kind: "command",
    line,
    words: words === null ? null : words.map(replaceAliases),
    changes: line === text ? [] : ["Variables of Flightcontrol are replaced by those of Slipway."],
  };
}

function replaceAliases(text: string): string {
  return ALIASES.reduce(
    (before, { name, replacement }) =>
      replacement === null ? before : before.replaceAll(new RegExp(`\\b${name}\\b`, "g"), replacement),
    text,
  );
}

/** Operators other than `&&`, after which the end of a line would belong to another command. */
const OPERATORS = /[;|\n#]|(?<!&)&(?!&)/;

/** The lines one after the other, each only if the one before succeeded. */
export function chain(lines: readonly string[]): string {
  // A comment would hide what follows on its line.
  const alone = (line: string): string => (line.includes("#") ? `(${line}\n)` : `(${line})`);
  return lines.length === 1
    ? (lines[0] ?? "")
    : lines.map((line) => (OPERATORS.test(line) ? alone(line) : line)).join(" && ");
}

const LANGUAGES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:bundle|rails|rake|ruby|puma|sidekiq)\b/, "Ruby"],
  [/\b(?:python3?|pip3?|poetry|pipenv|uv|gunicorn|uvicorn|celery|flask|django)\b/, "Python"],
  [/\b(?:go (?:build|run|install)|\.\/main)(?=\s|$)/, "Go"],
  [/\bcargo\b/, "Rust"],
  [/\b(?:php|composer|artisan)\b/, "PHP"],
  [/\b(?:java|mvnw?|gradlew?)\b/, "Java"],
  [/\bmix\b|\belixir\b/, "Elixir"],
  [/\bdotnet\b/, ".NET"],
];

/** A language that a command needs and Slipway's builder does not have: it has Node.js. */
export function findLanguage(lines: readonly string[]): string | null {
  const text = lines.join("\n");
  return LANGUAGES.find(([form]) => form.test(text))?.[1] ?? null;
}

const INSTALLS =
  /\b(?:npm (?:ci|i|install)|yarn install|pnpm (?:i|install)|bun (?:i|install))\b|\byarn\s*(?:&&|;|$)/;
const MANAGERS: readonly (readonly [RegExp, string])[] = [
  [/\bpnpm\b/, "corepack enable && pnpm install"],
  [/\byarn\b/, "corepack enable && yarn install"],
  [/\bbunx?\b/, "npx bun install"],
];

/** How the dependencies are installed; null if the commands do. */
export function findInstall(lines: readonly string[]): string | null {
  const text = lines.join("\n");
  if (INSTALLS.test(text)) return null;
  return MANAGERS.find(([form]) => form.test(text))?.[1] ?? "npm install";
}

/** A folder of the repository, without `./` and a slash at the end; null if it is not inside. */
export function readFolder(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 1024 || /[\\\p{Cc}]/u.test(value)) return null;
  const folder = value.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "");
  if (value.startsWith("/")) return null;
  if (folder === "" || folder === ".") return ".";
  return folder.split("/").some((part) => part === "" || part === ".." || part === ".") ? null : folder;
}

/** A folder or a file of the repository whose path needs no quotes in a shell, which Slipway requires. */
export function readPlace(value: unknown): string | null {
  const place = readFolder(value);
  return place !== null && place.length <= 255 && /^[\w@.+/-]+$/.test(place) ? place : null;
}
