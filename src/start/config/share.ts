import type { Brand } from "../../features/share-links/brand.ts";
import type { Values } from "./values.ts";

const NAME_LENGTH = 60;
/** The accent of the console, `--accent` in `console/app/ui/base.css`. */
const OWN_COLOR = "#0b6477";
/** What WCAG 2.2 asks of text (1.4.3). */
const CONTRAST_MIN = 4.5;

/** How the pages of share links look: the installation's, because its operator answers for what they show. */
export function readShare({ text, url, list, problems }: Values): Brand {
  const name = text("SLIPWAY_SHARE_NAME") ?? "Slipway";
  if (name.length > NAME_LENGTH)
    problems.push(`SLIPWAY_SHARE_NAME must have at most ${NAME_LENGTH} characters.`);
  const color = (text("SLIPWAY_SHARE_COLOR") ?? OWN_COLOR).toLowerCase();
  if (!/^#[0-9a-f]{6}$/.test(color)) {
    problems.push(`SLIPWAY_SHARE_COLOR must be a colour in the form "${OWN_COLOR}".`);
  } else if (contrastWithWhite(color) < CONTRAST_MIN) {
    problems.push(
      `SLIPWAY_SHARE_COLOR is ${color}, on which white text is hard to read: its contrast is ${contrastWithWhite(color).toFixed(1)}, and must be ${CONTRAST_MIN} at least. Use a darker one.`,
    );
  }
  const logoUrl = url("SLIPWAY_SHARE_LOGO_URL", ["https:"]);
  const frameAncestors = list("SLIPWAY_SHARE_FRAME_ANCESTORS");
  for (const origin of frameAncestors) {
    if (/^https:\/\/[a-z0-9.-]+(?::\d+)?$/.test(origin) && URL.canParse(origin)) continue;
    problems.push(`SLIPWAY_SHARE_FRAME_ANCESTORS has "${origin}"; write origins as https://www.example.com.`);
  }
  return { name, color, logoUrl, frameAncestors };
}

/** The contrast of WCAG 2.2 between a colour and white, from 1 to 21. */
function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
