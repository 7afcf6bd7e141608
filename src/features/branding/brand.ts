/** How the pages of share links look if an organization has set nothing. By `SLIPWAY_SHARE_…`. */
export type Brand = {
  readonly name: string;
  /** `#rrggbb`, on which white text has enough contrast. */
  readonly color: string;
  readonly logoUrl: string | null;
  /** Origins whose pages may show them in a frame. */
  readonly frameAncestors: readonly string[];
};

export const LOGO_TYPES = ["image/png", "image/jpeg", "image/webp"] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

export type Logo = {
  readonly type: LogoType;
  /** The name in its address, in hexadecimal. */
  readonly hash: string;
  readonly width: number;
  readonly height: number;
};

/** What an organization has set itself; null: the installation's setting holds. */
export type Branding = {
  readonly name: string | null;
  /** `#rrggbb`. */
  readonly accentColor: string | null;
  readonly logo: Logo | null;
};

/** How the pages of an organization look. */
export type Appearance = {
  readonly name: string;
  /** `#rrggbb`. */
  readonly color: string;
  /** The installation's logo. */
  readonly logoUrl: string | null;
  /** The organization's own logo, as the last part of its address. */
  readonly logoFile: string | null;
};

export const NO_BRANDING: Branding = { name: null, accentColor: null, logo: null };

/** The installation's logo belongs to its name: an organization with another name does not show it. Pure. */
export function appearanceOf(brand: Brand, { name, accentColor, logo }: Branding): Appearance {
  return {
    name: name ?? brand.name,
    color: accentColor ?? brand.color,
    logoUrl: logo === null && name === null ? brand.logoUrl : null,
    logoFile: logo === null ? null : logoFileOf(logo),
  };
}

/** The last part of a logo's address. Pure. */
export function logoFileOf({ hash, type }: Pick<Logo, "hash" | "type">): string {
  return `${hash}.${type.slice("image/".length)}`;
}
