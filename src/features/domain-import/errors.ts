import { declareFaults } from "../../lib/errors.ts";

export const DOMAIN_IMPORT_FAULTS = declareFaults({
  NO_ROOM:
    "Let the names of several registrable domains share groups with `groupBy=none`, delete groups that are no longer needed, have the account's quota of distributions raised and give it as `distributionQuota`, or have the quota of names for one certificate raised and give it as `namesPerGroup`.",
  NO_NAME: "Write the name in the column that the heading names, or in the first one.",
  QUOTE_NOT_CLOSED:
    "A cell that begins with a quote must end with one. Write a quote inside such a cell twice, or remove the quote that opens it.",
  HEADING: "There is nothing to do: the line says what the columns hold.",
  COMMENT: "There is nothing to do: lines that begin with `#` are left out.",
  CONTINUATION:
    "There is nothing to do if the cell is meant to have several lines. Otherwise, remove the quote that opens it.",
});
