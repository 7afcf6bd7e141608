/**
 * The rules of CloudFront for paths of invalidations
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/invalidation-specifying-objects.html). Pure.
 */
import { COMMON_FAULTS, type Fault } from "../../lib/errors.ts";
import { member } from "../../lib/json/is-object.ts";

/** CloudFront invalidates as many at the same time (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html). */
export const PATHS_MAX = 3_000;
const WILDCARDS_MAX = 15;
/** In characters. */
const PATH_LENGTH_MAX = 4_000;

const { TOO_LARGE, WRONG_FORM } = COMMON_FAULTS;

/** What a path may not have as it is: unsafe characters of RFC 1738 (section 2.2), except `%` and `~`, and all beyond ASCII. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u0020"#<>[\]\\^`{|}\u007f-\u{10ffff}]/gu;

/** The path as caches know it: unsafe characters are percent-encoded, and what is encoded already stays. */
export function encodePath(path: string): string {
  return path.replace(UNSAFE, (character) => encodeURIComponent(character));
}

/** The faults of the paths of a body, of any shape, that a schema cannot find. */
export function findPathFaults(body: unknown): readonly Fault[] {
  const paths = member(body, "paths");
  if (!Array.isArray(paths)) return [];
  const faults = paths.slice(0, PATHS_MAX).flatMap((path: unknown, index): Fault[] => {
    if (typeof path !== "string") return [];
    const message = whyWrong(path);
    return message === null ? [] : [{ path: `/paths/${index}`, code: WRONG_FORM.code, message }];
  });
  const wildcards = paths.filter((path) => typeof path === "string" && path.endsWith("*")).length;
  if (wildcards <= WILDCARDS_MAX) return faults;
  const message = `at most ${WILDCARDS_MAX} may end with *; there are ${wildcards}. Use a shorter path, such as /*, for several of them`;
  return [...faults, { path: "/paths", code: TOO_LARGE.code, message }];
}

function whyWrong(path: string): string | null {
  if (!path.startsWith("/")) return `must begin with /, such as /${path.slice(0, 40)}`;
  if (path.slice(0, -1).includes("*")) return "may have * only as its last character";
  if (/%(?![0-9a-f]{2})/i.test(path)) return "has a % that encodes nothing: write %25 for the character";
  if (!path.isWellFormed()) return "has half of a character";
  const { length } = encodePath(path);
  return length > PATH_LENGTH_MAX
    ? `must have at most ${PATH_LENGTH_MAX} characters, URL-encoded; it has ${length}`
    : null;
}
