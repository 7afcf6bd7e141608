/** Which entries of the audit are shown, as the page's address says. */

/** Days are as in `2026-11-01`. */
export type AuditSearch = {
  readonly userId?: string;
  readonly action?: string;
  readonly resourceId?: string;
  readonly from?: string;
  readonly to?: string;
};

/** What the API is asked for. */
export function auditQueryOf({ from, to, ...others }: AuditSearch) {
  return { ...others, ...timesOf(from, to) };
}

/** The start of day `from` and the end of day `to`, in the user's time zone. A text that is not a day is left out. */
export function timesOf(from: string | undefined, to: string | undefined): { from?: string; to?: string } {
  const start = dayOf(from);
  const end = dayOf(to);
  end?.setDate(end.getDate() + 1);
  return {
    ...(start === null ? {} : { from: start.toISOString() }),
    ...(end === null ? {} : { to: end.toISOString() }),
  };
}

function dayOf(text: string | undefined): Date | null {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const day = new Date(`${text}T00:00`);
  return Number.isNaN(day.getTime()) ? null : day;
}
