/** Names of fields of the API in words. Pure. */

const ABBREVIATIONS = /\b(?:api|arn|aws|cpu|dns|gb|url)\b/g;

/** A name in camel case as words, such as `auto DNS` for `autoDns`. */
export function tellField(field: string): string {
  return field
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ")
    .toLowerCase()
    .replaceAll(ABBREVIATIONS, (abbreviation) => abbreviation.toUpperCase());
}
