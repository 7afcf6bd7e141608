/**
 * The colours of a share page with an accent, for its preview: the server's rule
 * (`src/features/branding/decide-colors.ts`). `test/console/accent-colors.test.ts` compares both. Pure.
 */
const CONTRAST_MIN = 4.5;
const GROUNDS = { light: "#f6f8fa", dark: "#10161c" } as const;
/** The page itself, which does not follow the theme of the console. */
export const PAGES = {
  light: { ground: "#f6f8fa", text: "#17212b" },
  dark: { ground: "#0b1015", text: "#e6edf3" },
} as const;
const MIX_STEPS = 50;

export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** @param accent `#rrggbb` */
export function accentColors(accent: string) {
  return {
    onAccent: contrastOf(accent, "#ffffff") >= CONTRAST_MIN ? "#ffffff" : "#000000",
    linkLight: readableOn(GROUNDS.light, accent, "#000000"),
    linkDark: readableOn(GROUNDS.dark, accent, "#ffffff"),
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
