import type { Brand } from "../../features/branding/brand.ts";
import { CONTRAST_MIN, contrastOf } from "../../lib/accent-colors.ts";
import type { Values } from "./values.ts";

const NAME_LENGTH = 60;
/** The accent of the console, `--accent` in `console/app/ui/tokens.css`. */
const OWN_COLOR = "#0b6479";

/** How the pages of share links look: the installation's, because its operator answers for what they show. */
export function readShare({ text, url, list, problems }: Values): Brand {
  const name = text("SLIPWAY_SHARE_NAME") ?? "Slipway";
  if (name.length > NAME_LENGTH)
    problems.push(`SLIPWAY_SHARE_NAME must have at most ${NAME_LENGTH} characters.`);
  const color = (text("SLIPWAY_SHARE_COLOR") ?? OWN_COLOR).toLowerCase();
  if (!/^#[0-9a-f]{6}$/.test(color)) {
    problems.push(`SLIPWAY_SHARE_COLOR must be a colour in the form "${OWN_COLOR}".`);
  } else if (contrastOf(color, "#ffffff") < CONTRAST_MIN) {
    problems.push(
      `SLIPWAY_SHARE_COLOR is ${color}, on which white text is hard to read: its contrast is ${contrastOf(color, "#ffffff").toFixed(1)}, and must be ${CONTRAST_MIN} at least. Use a darker one.`,
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
