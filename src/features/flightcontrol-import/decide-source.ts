/** The branch of an environment, or the pull requests that it makes previews for. Pure. */
import { isObject } from "../../lib/json/is-object.ts";
import { ONE_LINE } from "../../lib/shown-text.ts";
import { classify, type Report, rulesOf } from "./classify.ts";
import { changed, ignored, mapped, missing, type Verdict, wrongForm } from "./flightcontrol-import.ts";
import type { Raw, WrittenEnvironment } from "./read-flightcontrol-file.ts";

const LINE = new RegExp(ONE_LINE, "u");
const PATTERNS_MAX = 20;
/** Any branch, also with slashes. */
const ANY = "**";

type Patterns = { readonly list: readonly string[]; readonly verdict: Verdict };

/** A list of patterns, or one; an empty list and null say nothing. */
function readPatterns(value: unknown): Patterns {
  const written = Array.isArray(value) ? value : [value];
  const list = written.filter((one) => one !== null);
  if (list.length === 0) return { list: [], verdict: ignored("It is empty.") };
  const isUsable =
    list.length <= PATTERNS_MAX &&
    list.every((one) => typeof one === "string" && one.trim() !== "" && one.length <= 255 && LINE.test(one));
  if (!isUsable)
    return {
      list: [],
      verdict: wrongForm(`a list of at most ${PATTERNS_MAX} texts of at most 255 characters`),
    };
  return { list: list as string[], verdict: mapped() };
}

const patterns = (value: unknown): Verdict => readPatterns(value).verdict;

const RULES = rulesOf<null>({
  branch: mapped,
  pr: (value) => (value === false ? ignored("It is the default.") : wrongForm("true or false")),
  trigger: judgeTrigger,
});

const TEMPLATE_RULES = rulesOf<{ readonly branch: string; readonly isIntoAny: boolean }>({
  pr: (_, { branch, isIntoAny }) =>
    changed(
      `The environment becomes a template of previews. The file on the branch ${branch} decides which previews there are.${isIntoAny ? " Pull requests into any branch get one, as toBranches says." : ""}`,
      "Check source.branch in the proposal.",
    ),
  branch: () => ignored("Flightcontrol's schema has no branch here."),
  trigger: (value) =>
    value === "manual"
      ? missing("Each push to a pull request is deployed to its preview.")
      : value === "push"
        ? ignored("Each push to a pull request is deployed to its preview.")
        : wrongForm("push or manual"),
  "filter.labels": patterns,
  "filter.fromBranches": patterns,
  "filter.watchPaths": patterns,
  "filter.toBranches": patterns,
  "filter.toBranch": (value) => {
    const { verdict } = readPatterns(value);
    return verdict.class === "mapped" ? changed("It is called toBranches, and is a list.") : verdict;
  },
});

function judgeTrigger(value: unknown): Verdict {
  return value === "push" || value === "manual" ? mapped() : wrongForm("push or manual");
}

/** @param usualBranch the branch of the first environment that has one */
export function decideSource(
  { source, path }: Pick<WrittenEnvironment, "source" | "path">,
  usualBranch: string,
  report: Report,
): Readonly<Record<string, unknown>> {
  const at = `${path}/source`;
  const nested: Report = (place, verdict) => report({ ...place, field: `source.${place.field}` }, verdict);
  if (source["pr"] === true) return decideTemplate(source, at, usualBranch, nested);
  classify(source, at, RULES, null, nested);
  const { branch, trigger } = source;
  if (trigger === undefined)
    nested(
      { path: `${at}/trigger`, field: "trigger" },
      changed("Flightcontrol deploys each push by default, and Slipway by request: push is written."),
    );
  return { branch, trigger: trigger === "manual" ? "manual" : "push" };
}

function decideTemplate(source: Raw, at: string, usualBranch: string, report: Report) {
  const filter: Raw = isObject(source["filter"]) ? source["filter"] : {};
  const listOf = (name: string) => (filter[name] === undefined ? [] : readPatterns(filter[name]).list);
  const into = [...new Set([...listOf("toBranches"), ...listOf("toBranch")])].slice(0, PATTERNS_MAX);
  const [only = ""] = into;
  const branch = into.length === 1 && !/[*?[\]{}!()]/.test(only) ? only : usualBranch;
  classify(source, at, TEMPLATE_RULES, { branch, isIntoAny: into.length === 0 }, report);
  const lists = {
    labels: listOf("labels"),
    toBranches: into.length === 0 ? [ANY] : into,
    fromBranches: listOf("fromBranches"),
    watchPaths: listOf("watchPaths"),
  };
  return {
    branch,
    pr: true,
    filter: Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  };
}
