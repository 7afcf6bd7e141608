/** The colours of a share page that has an accent of any hue. The console previews them by the same code. Pure. */

/** What WCAG 2.2 asks of text (1.4.3). */
export const CONTRAST_MIN = 4.5;
/** The grounds of the page (`share-links/style.ts`) on which links are hardest to read, in both themes. */
const LIGHT_GROUND = "#f6f8fa";
const DARK_GROUND = "#10161c";
const MIX_STEPS = 50;

export type AccentColors = {
  readonly accent: string;
  /** Text on the accent: white, or black where white is hard to read. One of them always has enough contrast. */
  readonly onAccent: string;
  /** The accent as text, made darker or lighter as far as its contrast needs. */
  readonly linkLight: string;
  readonly linkDark: string;
};

/** @param accent `#rrggbb` */
export function decideColors(accent: string): AccentColors {
  return {
    accent,
    onAccent: contrastOf(accent, "#ffffff") >= CONTRAST_MIN ? "#ffffff" : "#000000",
    linkLight: readableOn(LIGHT_GROUND, accent, "#000000"),
    linkDark: readableOn(DARK_GROUND, accent, "#ffffff"),
  };
}

/** The contrast of WCAG 2.2 between two colours, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function readableOn(ground: string, color: string, end: string): string {
  for (let step = 0; step < MIX_STEPS; step += 1) {
    const mixed = mix(color, end, step / MIX_STEPS);
    if (contrastOf(mixed, ground) >= CONTRAST_MIN) return mixed;
  }
  return end;
}

function mix(color: string, end: string, share: number): string {
  const ends = partsOf(end);
  const parts = partsOf(color).map((part, at) => Math.round(part + ((ends[at] ?? 0) - part) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(color).map((given) => {
    const part = given / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function partsOf(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
