/** How the pages of share links look. By `SLIPWAY_SHARE_…`. */
export type Brand = {
  readonly name: string;
  /** `#rrggbb`, on which white text has enough contrast. */
  readonly color: string;
  readonly logoUrl: string | null;
  /** Origins whose pages may show them in a frame. */
  readonly frameAncestors: readonly string[];
};
